"""Reduced precision: autocast around the forward pass and, for fp16, a loss scale."""

import torch

from measuring.settings import Recipe

AUTOCAST = {"bf16": torch.bfloat16, "fp16": torch.float16}


def autocast(recipe: Recipe, device: torch.device) -> torch.autocast:
    """Return the context of a forward pass and its loss; it changes nothing in full precision."""
    dtype = AUTOCAST.get(recipe.precision)
    return torch.autocast(device.type, dtype=dtype or torch.bfloat16, enabled=dtype is not None)


def loss_scaler(recipe: Recipe, device: torch.device) -> torch.amp.GradScaler:
    """Return torch's scaler, which keeps small fp16 gradients from becoming zero; it changes nothing otherwise."""
    return torch.amp.GradScaler(device.type, enabled=recipe.precision == "fp16")
