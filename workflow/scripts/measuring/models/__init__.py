"""Model builders: a file of this folder named like the builder, or else torchvision. Imports torch only to build."""

import importlib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import nn

    from measuring.settings import ModelSettings

FOLDER = Path(__file__).parent


def model_file(builder: str) -> Path:
    """Return the file whose code builds `builder`."""
    own = FOLDER / f"{builder}.py"
    return own if own in FOLDER.glob("*.py") and builder != "__init__" else FOLDER / "torchvision_models.py"


def build_model(model: "ModelSettings") -> "nn.Module":
    """Return the model with freshly drawn weights; ValueError or TypeError when its arguments do not fit."""
    module = importlib.import_module(f"measuring.models.{model_file(model.builder).stem}")
    return module.build(model.builder, **model.arguments)
