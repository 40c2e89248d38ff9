"""Images that lie on the device, and the place of the next batch among them."""

import math

import numpy as np
import torch

from measuring.augmentation import Constants, augment, draw_rows, pack, plain_rows
from measuring.data import augmentation_seed
from measuring.settings import Recipe


class ResidentImages:
    """All images of one split on a device, taken batch by batch in the order of `rows`.

    The number of the next step is a tensor on the device too, so that a captured step takes another batch each time it
    is replayed.
    """

    def __init__(
        self, images: np.ndarray, labels: np.ndarray, recipe: Recipe, device: torch.device, dtype: torch.dtype
    ) -> None:
        """Copy the images (N, 32, 32, 3), uint8, and their classes (N,) to the device; batches come in `dtype`."""
        self.words, self.labels = pack(images).to(device), torch.from_numpy(labels).to(device)
        self.rows = plain_rows(len(images), padding=recipe.crop_padding).to(device)
        self.step = torch.zeros(1, dtype=torch.int64, device=device)
        self.dtype, self._constants = dtype, Constants(device, dtype)
        self.sizes = step_sizes(len(images), recipe.batch_size)
        self._batch_size, self._padding = recipe.batch_size, recipe.crop_padding
        self._contiguous = recipe.memory_format == "contiguous"

    def __len__(self) -> int:
        """Return the number of images."""
        return len(self.labels)

    def batch(self, size: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the images (size, 3, 32, 32) and classes (size,) of the current step."""
        places = self.step * self._batch_size + torch.arange(size, device=self.step.device)
        rows = self.rows[places]
        images = augment(self.words, rows, padding=self._padding, constants=self._constants)
        return images.contiguous() if self._contiguous else images, self.labels[rows[:, 0].long()]

    def restart(self, rows: torch.Tensor | None = None) -> None:
        """Begin another pass, in the order and with the augmentation of `rows` (N, 4), or of the last ones."""
        if rows is not None:
            self.rows.copy_(rows, non_blocking=True)
        self.step.zero_()


class EpochRows:
    """Draws the order and the augmentation of one epoch after the other, alike on every device."""

    def __init__(self, images: int, recipe: Recipe, seed: int) -> None:
        """`seed` alone decides; the order is the loader's with this seed, the augmentation a stream of its own."""
        self._images, self._recipe = images, recipe
        self._order = torch.Generator().manual_seed(seed)
        self._augmentation = torch.Generator().manual_seed(augmentation_seed(seed))

    def draw(self) -> torch.Tensor:
        """Return the rows (images, 4) of the next epoch."""
        recipe = self._recipe
        return draw_rows(
            self._images,
            padding=recipe.crop_padding,
            flip=recipe.horizontal_flip,
            order=self._order,
            augmentation=self._augmentation,
        )


def step_sizes(images: int, batch_size: int) -> list[int]:
    """Return the images of each step of an epoch; the last step takes what is left."""
    steps = math.ceil(images / batch_size)
    return [min(batch_size, images - step * batch_size) for step in range(steps)]
