"""The training step of the plain recipe cut into its parts, and the two ways in which it is sampled."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import torch
from torch import nn

from measuring.breakdown.parts import PartTimer, StepParts
from measuring.data import Batches
from measuring.timing import Stopwatch

Batch = tuple[torch.Tensor, torch.Tensor]
Part = Callable[[str], AbstractContextManager[None]]


@dataclass(frozen=True, kw_only=True)
class Setup:
    """What a step needs: a model on its device, its optimizer, and batches of images and classes on the host."""

    model: nn.Module
    optimizer: torch.optim.Optimizer
    batches: Iterator[Batch]
    device: torch.device


@dataclass(frozen=True, kw_only=True)
class Pace:
    """Steps that nothing disturbed: seconds from the first to the last, and of each of them."""

    window_s: float
    step_s: list[float]
    step_images: list[int]


def endless(batches: Batches) -> Iterator[Batch]:
    """Yield the batches of one epoch after the other; where one ends, the next wait holds the loader's restart."""
    while True:
        yield from batches


def untimed(name: str) -> AbstractContextManager[None]:
    """Stand in for a timer's `part` where the parts are not timed."""
    return nullcontext()


def train_step(setup: Setup, part: Part = untimed) -> int:
    """Train one step, the same work as in `training.train_epoch`, and return its number of images."""
    with part("data_wait"):
        images, labels = next(setup.batches)
    with part("copy"):
        inputs, targets = images.to(setup.device), labels.to(setup.device)
    with part("forward"):
        loss = nn.functional.cross_entropy(setup.model(inputs), targets)
    with part("optimizer"):
        setup.optimizer.zero_grad()
    with part("backward"):
        loss.backward()
    with part("optimizer"):
        setup.optimizer.step()
    return len(labels)


def warm_up(setup: Setup, steps: int) -> None:
    """Train `steps` steps that nothing counts."""
    for _ in range(steps):
        train_step(setup)


def sample_pace(setup: Setup, stopwatch: Stopwatch, steps: int) -> Pace:
    """Train `steps` steps with the device synchronised at the edges of the whole window only."""
    images = []
    stopwatch.start()
    for _ in range(steps):
        images.append(train_step(setup))
        stopwatch.lap()
    stopwatch.stop()
    return Pace(window_s=stopwatch.window_s, step_s=stopwatch.step_s(), step_images=images)


def sample_parts(setup: Setup, timer: PartTimer, steps: int) -> list[StepParts]:
    """Train `steps` steps with each of their parts timed."""
    samples = []
    for _ in range(steps):
        timer.start_step()
        samples.append(timer.end_step(train_step(setup, timer.part)))
    return samples
