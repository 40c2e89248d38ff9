"""The input pipeline of the plain recipe: arrays to PIL images to normalised batches."""

import hashlib
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from multiprocessing.util import get_temp_dir
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset, get_worker_info
from torchvision import transforms

from lineage.job import UserError
from measuring.cores import affinity
from measuring.settings import Recipe

# Mean and standard deviation of each colour over the 50,000 training images of CIFAR-10, pixels divided by 255.
MEAN = (0.49139968, 0.48215841, 0.44653091)
STD = (0.24703223, 0.24348513, 0.26158784)
LONGEST_SOCKET = 107 if sys.platform == "linux" else 103
"""Bytes of the path of a Unix socket; unix(7) of Linux, unix(4) of macOS."""

AUGMENTATION_STREAM = 1
"""Sets the stream of the augmentation apart from that of the order, which has the seed itself."""

Transform = Callable[[Image.Image], torch.Tensor]
Batches = DataLoader[tuple[torch.Tensor, int]]
"""Each batch is a pair of tensors: images (B, 3, 32, 32), float32, and classes (B,), int64."""


@dataclass(frozen=True, kw_only=True)
class Images:
    """Decoded images, uint8 (N, 32, 32, 3), and their classes, int64 (N,)."""

    train_images: np.ndarray
    train_labels: np.ndarray
    test_images: np.ndarray
    test_labels: np.ndarray


def load_images(data: Path, checksum: Path) -> Images:
    """Return the arrays of a decoded dataset (.npz); UserError when they are not those that `checksum` lists."""
    try:
        with np.load(data, allow_pickle=False) as arrays:
            images = {name: arrays[name] for name in Images.__dataclass_fields__}
    except (ValueError, KeyError, EOFError, BadZipFile) as error:
        raise UserError(f"{data} is damaged ({error}): delete it and run again, it is then made anew.") from error
    listed = {name: digest for digest, name in map(str.split, checksum.read_text(encoding="ascii").splitlines())}
    for name, array in images.items():
        _check_content(f"{name} in {data}", array, listed.get(name))
    return Images(**images)


def _check_content(where: str, array: np.ndarray, expected: str | None) -> None:
    got = hashlib.sha256(np.ascontiguousarray(array).data).hexdigest()
    if got != expected:
        raise UserError(f"{where} has SHA-256 {got}, expected {expected}: delete the file and run again.")


def content_hash(checksum: Path) -> str:
    """Return the SHA-256 of a dataset's checksum file, which lists the hash of each array."""
    return hashlib.sha256(checksum.read_bytes()).hexdigest()


class ImageDataset(Dataset[tuple[torch.Tensor, int]]):
    """Images (N, 32, 32, 3) that are transformed one by one when they are asked for.

    The transform draws from a random stream of its own. Otherwise a model with dropout would change the augmentation,
    but on a CPU only: there both draw from the same stream, on an accelerator they do not.
    """

    def __init__(self, images: np.ndarray, labels: np.ndarray, transform: Transform, seed: int = 0) -> None:
        """Keep the arrays; nothing is copied."""
        self.images, self.labels, self.transform = images, labels, transform
        self._random_state = torch.Generator().manual_seed(seed).get_state()

    def __len__(self) -> int:
        """Return the number of images."""
        return len(self.images)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        """Return one normalised image (3, 32, 32), float32, and its class."""
        return self.transform(Image.fromarray(self.images[index])), int(self.labels[index])

    def __getitems__(self, indices: list[int]) -> list[tuple[torch.Tensor, int]]:
        """Return the images of one batch."""
        if get_worker_info() is not None:  # a loader process has a stream of its own, seeded by the loader
            return [self[index] for index in indices]
        others = torch.get_rng_state()
        torch.set_rng_state(self._random_state)
        batch = [self[index] for index in indices]
        self._random_state = torch.get_rng_state()
        torch.set_rng_state(others)
        return batch


def augmentation_seed(seed: int) -> int:
    """Return the seed of the augmentation, of 32 bits: torch's generator of the CPU ignores all others."""
    return int(np.random.SeedSequence((seed, AUGMENTATION_STREAM)).generate_state(1)[0])


def train_batches(images: Images, recipe: Recipe, seed: int) -> Batches:
    """Return shuffled, augmented batches; the last one is smaller. The order depends on `seed` alone.

    Raises UserError where loader processes could not hand their batches over.
    """
    if recipe.loader_workers and sys.platform != "win32":
        _check_sockets(recipe)
    return DataLoader(
        ImageDataset(images.train_images, images.train_labels, train_transform(recipe), augmentation_seed(seed)),
        batch_size=recipe.batch_size,
        shuffle=True,
        num_workers=recipe.loader_workers,
        generator=torch.Generator().manual_seed(seed),
        worker_init_fn=partial(_use_cpus, affinity()),
    )


def _use_cpus(cpus: frozenset[int], _worker: int) -> None:
    """Let a loader process run on all CPUs of the run; OpenMP may have bound the thread that starts it to one."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cpus)


def _check_sockets(recipe: Recipe) -> None:
    """A loader process that cannot name its socket in the folder for temporary files is waited for without end."""
    socket = Path(get_temp_dir()) / f"listener-{8 * 'x'}"
    if len(os.fsencode(socket)) > LONGEST_SOCKET:
        raise UserError(
            f"The path of the folder for temporary files is too long for the loader processes' sockets ({socket}, "
            f"{len(os.fsencode(socket))} bytes of at most {LONGEST_SOCKET}): set TMPDIR to a shorter one, or "
            f"config.recipes.{recipe.name}.loader_workers to 0."
        )


def test_batches(images: Images, recipe: Recipe) -> Batches:
    """Return the test images in their order, not augmented."""
    return DataLoader(
        ImageDataset(images.test_images, images.test_labels, transforms.Compose(_to_normalised_tensor())),
        batch_size=recipe.batch_size,
        num_workers=recipe.loader_workers,
        worker_init_fn=partial(_use_cpus, affinity()),
    )


def train_transform(recipe: Recipe) -> Transform:
    """Return random crop and flip as the recipe asks, then conversion and normalisation."""
    crop = [transforms.RandomCrop(32, padding=recipe.crop_padding)] if recipe.crop_padding else []
    flip = [transforms.RandomHorizontalFlip()] if recipe.horizontal_flip else []
    return transforms.Compose([*crop, *flip, *_to_normalised_tensor()])


def _to_normalised_tensor() -> list[Callable]:
    return [transforms.ToTensor(), transforms.Normalize(MEAN, STD)]
