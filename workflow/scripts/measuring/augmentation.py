"""Random crop, flip and normalisation of a whole batch at once, on any device, as tensor operations alone."""

import numpy as np
import torch

from measuring.data import MEAN, STD

SIDE = 32
BLACK = SIDE * SIDE
"""Place of the black pixel behind those of an image: what a crop sees of the padding."""


class Constants:
    """Tensors (3,) on the device for each channel: a captured step cannot copy numbers there."""

    def __init__(self, device: torch.device, dtype: torch.dtype) -> None:
        """`dtype`: of the images that are made."""
        self.bits = torch.tensor([0, 8, 16], dtype=torch.int32, device=device)
        self.mean = torch.tensor(MEAN, dtype=dtype, device=device)
        self.std = torch.tensor(STD, dtype=dtype, device=device)


def pack(images: np.ndarray) -> torch.Tensor:
    """Return images, uint8 (N, 32, 32, 3), as int32 (N, 1025): a word for each pixel, and a black one at the end.

    One word a pixel makes a crop one gather, and it is read once instead of three times.
    """
    words = np.zeros((len(images), SIDE * SIDE + 1, 4), dtype=np.uint8)
    words[:, :-1, :3] = images.reshape(len(images), SIDE * SIDE, 3)
    return torch.from_numpy(words.view("<i4")[..., 0])


def draw_rows(
    images: int, *, padding: int, flip: bool, order: torch.Generator, augmentation: torch.Generator
) -> torch.Tensor:
    """Return one epoch's rows (images, 4), int32: which image, top and left of its crop, and whether it is flipped.

    The order is that of torch's loader with a generator of the same seed, epoch by epoch: a recipe with resident images
    trains on the same batches as one with a loader. The augmentation has a stream of its own.
    """
    chosen = loader_order(images, order).int()
    corners = torch.randint(2 * padding + 1, (images, 2), generator=augmentation, dtype=torch.int32)
    flips = torch.randint(1 + flip, (images, 1), generator=augmentation, dtype=torch.int32)
    return torch.cat([chosen[:, None], corners, flips], dim=1)


def loader_order(images: int, generator: torch.Generator) -> torch.Tensor:
    """Return the order in which a shuffling DataLoader with this generator gives the images of its next epoch."""
    torch.empty((), dtype=torch.int64).random_(generator=generator)  # the seed of the loader's processes
    order = torch.randperm(images, generator=generator)
    torch.randperm(images, generator=generator)  # the sampler draws once more when it has given the last image
    return order


def plain_rows(images: int, *, padding: int) -> torch.Tensor:
    """Return rows (images, 4), int32, that take every image in its place, neither shifted nor flipped."""
    rows = torch.tensor([0, padding, padding, 0], dtype=torch.int32).repeat(images, 1)
    rows[:, 0] = torch.arange(images, dtype=torch.int32)
    return rows


def augment(words: torch.Tensor, rows: torch.Tensor, *, padding: int, constants: Constants) -> torch.Tensor:
    """Return the images (B, 3, 32, 32) that `rows` (B, 4) ask for, normalised; in memory the channels come last.

    A crop of 32 x 32 pixels out of the image with `padding` black pixels on each side, then the flip.
    """
    index, top, left, flip = rows.long().unbind(1)
    pixel = torch.arange(SIDE, device=words.device)
    y = pixel + top[:, None] - padding
    x = torch.where(flip[:, None] == 1, SIDE - 1 - pixel, pixel) + left[:, None] - padding
    inside = ((y >= 0) & (y < SIDE))[:, :, None] & ((x >= 0) & (x < SIDE))[:, None, :]
    place = (y[:, :, None] * SIDE + x[:, None, :]).masked_fill(~inside, BLACK)  # `where` would copy BLACK from the host
    return _normalised(words[index[:, None, None], place], constants)


def _normalised(words: torch.Tensor, constants: Constants) -> torch.Tensor:
    colours = (words[..., None] >> constants.bits) & 255
    return ((colours.to(constants.mean.dtype) / 255 - constants.mean) / constants.std).permute(0, 3, 1, 2)
