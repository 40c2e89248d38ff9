"""The training step cut into its parts, and the two ways in which it is sampled."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import nn

from measuring.breakdown.parts import PartTimer, StepParts
from measuring.data import Batches
from measuring.resident_loop import ResidentLoop
from measuring.timing import Stopwatch

Batch = tuple[torch.Tensor, torch.Tensor]
Part = Callable[[str], AbstractContextManager[None]]


def untimed(name: str) -> AbstractContextManager[None]:
    """Stand in for a timer's `part` where the parts are not timed."""
    return nullcontext()


class Step(Protocol):
    """One training step after the other."""

    def __call__(self, part: Part = untimed) -> int:
        """Train one step, its parts in `part`, and return its number of images."""


@dataclass(frozen=True, kw_only=True)
class PlainStep:
    """The same work as in `training.train_epoch`, with batches of images and classes on the host."""

    model: nn.Module
    optimizer: torch.optim.Optimizer
    batches: Iterator[Batch]
    device: torch.device

    def __call__(self, part: Part = untimed) -> int:
        """Train one step."""
        with part("data_wait"):
            images, labels = next(self.batches)
        with part("copy"):
            inputs, targets = images.to(self.device), labels.to(self.device)
        with part("forward"):
            loss = nn.functional.cross_entropy(self.model(inputs), targets)
        with part("optimizer"):
            self.optimizer.zero_grad()
        with part("backward"):
            loss.backward()
        with part("optimizer"):
            self.optimizer.step()
        return len(labels)


class ResidentStep:
    """The same work as in `resident_loop.ResidentLoop`: nothing is copied, data are waited for while being augmented.

    A compiled forward pass holds the augmentation. A captured step has no parts.
    """

    def __init__(self, loop: ResidentLoop) -> None:
        """Nothing runs until the first call, which begins an epoch."""
        self._loop, self._sizes = loop, iter(list[int]())

    def __call__(self, part: Part = untimed) -> int:
        """Train one step."""
        with part("data_wait"):
            size = self._next_size()
        if part is untimed:
            self._loop.take_step(size)
        else:
            self._take_parts(size, part)
        return size

    def _next_size(self) -> int:
        size = next(self._sizes, None)
        if size is None:
            self._sizes = iter(self._loop.start_epoch())
            self._loop.draw_next_epoch()
            size = next(self._sizes)
        return size

    def _take_parts(self, size: int, part: Part) -> None:
        step = self._loop.train_step
        with part("data_wait"):
            compiled = step.compiled(size)
            batch = step.data.batch(size) if compiled is None else None
        with part("forward"):
            loss = compiled(size) if compiled else step.loss(*batch)  # type: ignore[misc]
        with part("backward"):
            step.backward(loss)
        with part("optimizer"):
            step.optimize()
            step.finish(loss)


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


def warm_up(step: Step, steps: int) -> None:
    """Train `steps` steps that nothing counts."""
    for _ in range(steps):
        step()


def sample_pace(step: Step, stopwatch: Stopwatch, steps: int) -> Pace:
    """Train `steps` steps with the device synchronised at the edges of the whole window only."""
    images = []
    stopwatch.start()
    for _ in range(steps):
        images.append(step())
        stopwatch.lap()
    stopwatch.stop()
    return Pace(window_s=stopwatch.window_s, step_s=stopwatch.step_s(), step_images=images)


def sample_parts(step: Step, timer: PartTimer, steps: int) -> list[StepParts]:
    """Train `steps` steps with each of their parts timed."""
    samples = []
    for _ in range(steps):
        timer.start_step()
        samples.append(timer.end_step(step(timer.part)))
    return samples
