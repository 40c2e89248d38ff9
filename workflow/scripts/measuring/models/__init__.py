"""Model builders: a file of this folder named like the builder, or else torchvision. Imports torch only to build."""

import importlib
from collections.abc import Callable
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


def builder_function(builder: str) -> "Callable[..., nn.Module]":
    """Return the function that builds `builder`, given its name and its arguments."""
    function: Callable[..., nn.Module] = importlib.import_module(f"measuring.models.{model_file(builder).stem}").build
    return function


def build_model(model: "ModelSettings") -> "nn.Module":
    """Return the model with freshly drawn weights; ValueError or TypeError when its arguments do not fit."""
    return builder_function(model.builder)(model.builder, **model.arguments)
