"""From a recipe to the loop that trains as it says."""

import torch
from torch import nn

from measuring.data import Images, test_batches, train_batches
from measuring.knobs import Knobs
from measuring.optimizers import build_optimizer
from measuring.plain_loop import PlainLoop
from measuring.resident_loop import ResidentLoop
from measuring.settings import Recipe


def build_loop(
    *, model: nn.Module, images: Images, recipe: Recipe, device: torch.device, seed: int, knobs: Knobs
) -> PlainLoop | ResidentLoop:
    """Return the loop for a model that is on its device; what does not work there is noted in `knobs`."""
    optimizer = build_optimizer(model, recipe, device, knobs)
    if recipe.input_pipeline == "resident":
        return ResidentLoop(model=model, optimizer=optimizer, images=images, recipe=recipe, device=device, seed=seed)
    return PlainLoop(
        model=model,
        train_batches=train_batches(images, recipe, seed),
        test_batches=test_batches(images, recipe),
        optimizer=optimizer,
        device=device,
    )


def place_model(model: nn.Module, device: torch.device, knobs: Knobs) -> nn.Module:
    """Return the model on its device, with its weights in the memory format that was asked for."""
    placed = model.to(device)
    return placed.to(memory_format=torch.channels_last) if knobs.active("memory_format") else placed
