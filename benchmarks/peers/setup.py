"""What every peer gets: the network, the images, the batch size, and a clock."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import torch
from PIL import Image
from torch import nn
from torch.utils.data import Dataset
from torchvision import transforms

BATCH_SIZE = 128
LEARNING_RATE = 0.001
MEAN, STD = (0.4914, 0.4822, 0.4465), (0.2470, 0.2435, 0.2616)
Epoch = Callable[[], dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Setup:
    """One comparison; `steps`: end each epoch after so many, None: never."""

    model: nn.Module
    images: np.ndarray
    """uint8 (N, 32, 32, 3)."""
    labels: np.ndarray
    device: torch.device
    steps: int | None


class PilDataset(Dataset[tuple[Any, int]]):
    """Images that are transformed one by one, as in a tutorial."""

    def __init__(self, images: np.ndarray, labels: np.ndarray, transform: Callable[[Image.Image], Any]) -> None:
        """Keep the arrays."""
        self.images, self.labels, self.transform = images, labels, transform

    def __len__(self) -> int:
        """Return the number of images."""
        return len(self.images)

    def __getitem__(self, index: int) -> tuple[Any, int]:
        """Return one transformed image and its class."""
        return self.transform(Image.fromarray(self.images[index])), int(self.labels[index])


def augmentations() -> list[Callable]:
    """Return random crop with 4 pixels of padding and random flip."""
    return [transforms.RandomCrop(32, padding=4), transforms.RandomHorizontalFlip()]


def tensors(setup: Setup) -> PilDataset:
    """Return the dataset of normalised tensors."""
    steps = [*augmentations(), transforms.ToTensor(), transforms.Normalize(MEAN, STD)]
    return PilDataset(setup.images, setup.labels, transforms.Compose(steps))


def train_steps(
    setup: Setup,
    loss_of: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
    loader: Iterable[Any],
    optimizer: torch.optim.Optimizer,
) -> int:
    """Train one epoch, or its first steps, with the loop of a tutorial, and return the number of steps."""
    count = 0
    for images, labels in islice(loader, setup.steps):
        loss = loss_of(images.to(setup.device), labels.to(setup.device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        count += 1
    return count


def synchronise(device: torch.device) -> None:
    """Wait for an accelerator."""
    if device.type != "cpu":
        torch.accelerator.synchronize(device)


def timed(epoch: Callable[[], int], device: torch.device) -> dict[str, Any]:
    """Run one epoch, which returns its number of steps, from device idle to device idle."""
    synchronise(device)
    started = time.perf_counter()
    steps = epoch()
    synchronise(device)
    return {"train_s": time.perf_counter() - started, "steps": steps, "eval_s": None}
