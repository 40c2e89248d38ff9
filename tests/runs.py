"""Small settings and images for tests of training."""

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import nn

from configs import DEFAULT
from measuring.budget import Budget
from measuring.data import Images
from measuring.knobs import Knobs
from measuring.loops import build_loop, place_model
from measuring.models import build_model
from measuring.observer import Observation
from measuring.projection import Whole
from measuring.settings import DatasetSettings, DeviceSettings, ModelSettings, Recipe, RunSettings
from measuring.surroundings import SURROUNDINGS, Surroundings
from measuring.training import Loop

RECIPE = Recipe(name="test", **DEFAULT["recipes"]["paper"] | {"epochs": 3, "batch_size": 10, "dataset": "made"})
CPU = DeviceSettings(name="cpu", type="cpu", gpus=0, threads=1, budget_s=None, target_half_width=None)
SETTINGS = RunSettings(
    recipe=RECIPE,
    model=ModelSettings(name="simple_cnn", builder="simple_cnn", arguments={"num_classes": 10}),
    device=CPU,
    dataset=DatasetSettings(name="made", type="synthetic", content="0" * 64),
    seed=1,
)

UNWATCHED = Observation(surroundings=Surroundings(**dict.fromkeys(SURROUNDINGS)), gpu_energy_j=None, cpu_energy_j=None)


def budget(budget_s: float | None, recipe: Recipe, train_images: int, target: float | None = None) -> Budget:
    """Return the budget of a run of this recipe over so many images."""
    whole = Whole(epochs=recipe.epochs, images_per_epoch=train_images, batch_size=recipe.batch_size)
    return Budget(budget_s=budget_s, target_half_width=target, whole=whole)


def made_images(train: int = 105, test: int = 20) -> Images:
    """Return random images whose class shows in their brightness; 105 make 11 steps of 10, the last of 5."""
    draw = np.random.default_rng(0)

    def part(count: int) -> tuple[np.ndarray, np.ndarray]:
        labels = np.arange(count) % 10
        noise = draw.integers(0, 20, (count, 32, 32, 3))
        return (labels[:, None, None, None] * 23 + noise).astype(np.uint8), labels.astype(np.int64)

    (train_images, train_labels), (test_images, test_labels) = part(train), part(test)
    return Images(
        train_images=train_images, train_labels=train_labels, test_images=test_images, test_labels=test_labels
    )


def save_images(images: Images, folder: Path) -> None:
    """Write made.npz and made.sha256 as a fetched dataset is written."""
    arrays = {name: getattr(images, name) for name in images.__dataclass_fields__}
    np.savez(folder / "made.npz", **arrays)
    lines = (f"{hashlib.sha256(array.tobytes()).hexdigest()}  {name}\n" for name, array in arrays.items())
    (folder / "made.sha256").write_text("".join(lines))


def built_loop(recipe: Recipe = RECIPE, *, images: Images, device: str = "cpu", model: nn.Module | None = None) -> Loop:
    """Return the loop of a recipe, ready to train, from the weights that seed 7 gives unless a model is given."""
    where = torch.device(device)
    knobs = Knobs(recipe, where)
    torch.manual_seed(7)
    placed = place_model(model or build_model(SETTINGS.model), where, knobs)
    loop = build_loop(model=placed, images=images, recipe=recipe, device=where, seed=7, knobs=knobs)
    loop.prepare(knobs, lambda part: None)
    return loop


class Unobserved:
    """Stands in for the observer of training windows."""

    def open(self) -> None:
        """Read nothing."""

    def close(self) -> Observation:
        """Return that nothing was seen."""
        return UNWATCHED


def with_device(**changes: object) -> RunSettings:
    """Return the settings with a changed device."""
    return replace(SETTINGS, device=replace(CPU, **changes))
