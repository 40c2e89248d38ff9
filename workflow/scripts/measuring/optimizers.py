"""The optimizers of the recipes."""

from typing import Any

import torch
from torch import nn

from measuring.knobs import Knobs
from measuring.settings import Recipe

OPTIMIZERS: dict[str, type[torch.optim.Optimizer]] = {
    "adam": torch.optim.Adam,
    "adamw": torch.optim.AdamW,
    "sgd": torch.optim.SGD,
}


def build_optimizer(model: nn.Module, recipe: Recipe, device: torch.device, knobs: Knobs) -> torch.optim.Optimizer:
    """Return a new optimizer; without the fused kernel, and a reason in `knobs`, where torch has none."""
    kind: Any = OPTIMIZERS[recipe.optimizer]
    options: dict[str, Any] = {"lr": recipe.learning_rate}
    if knobs.active("graph"):  # a captured step reads the rate on the device, and counts its steps there
        options["lr"] = torch.tensor(recipe.learning_rate, device=device)
        options |= {} if recipe.optimizer == "sgd" else {"capturable": True}
    if knobs.active("fused_optimizer"):
        try:
            return kind(model.parameters(), fused=True, **options)
        except RuntimeError as error:
            knobs.give_up("fused_optimizer", error)
    return kind(model.parameters(), **options)
