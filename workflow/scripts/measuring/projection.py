"""Projects the training time of a whole recipe from the steps that a budget allowed."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

from measuring.pace import Prediction, predict_mean
from measuring.steady import transient_steps

MIN_STEPS = 10
"""No budget ends a run before this many steps."""
MAX_BATCHES = 127
MIN_PACED_STEPS = 8


@dataclass(frozen=True, kw_only=True)
class Window:
    """The training clock of one epoch, or of the part of it that ran. Times in seconds, of each step in order."""

    step_s: Sequence[float]
    step_images: Sequence[int]
    train_s: float
    first_batch_s: float
    """From asking for the first batch to having it; what new loader processes take is in it."""


@dataclass(frozen=True, kw_only=True)
class Whole:
    """What the whole recipe asks for."""

    epochs: int
    images_per_epoch: int
    batch_size: int

    @property
    def images(self) -> int:
        """Training images over all epochs, repetitions counted."""
        return self.epochs * self.images_per_epoch


@dataclass(frozen=True, kw_only=True)
class Projection:
    """Seconds of training for all steps with a 95 % prediction interval, and what it rests on."""

    projected_train_s: float
    projected_train_low_s: float
    projected_train_high_s: float
    batches: int
    batch_steps: int
    """Consecutive steps whose mean is one value for the prediction."""
    lag1_autocorrelation: float
    """Of the batch means."""
    epoch_cost_s: float
    """What each further epoch costs once, beside its steps: new loader processes."""

    @property
    def half_width(self) -> float:
        """Half of the interval as a share of the projected time."""
        return (self.projected_train_high_s - self.projected_train_low_s) / 2 / self.projected_train_s

    def basis(self, target_half_width: float | None) -> dict[str, Any]:
        """Return what a reader needs to judge the interval, as in the record's field `projection`."""
        reached = None if target_half_width is None else self.half_width <= target_half_width
        names = ("batches", "batch_steps", "lag1_autocorrelation", "epoch_cost_s", "half_width")
        return {name: getattr(self, name) for name in names} | {"target_reached": reached}


@dataclass(frozen=True)
class _Paced:
    """Seconds of the steps that show the pace, each with its number."""

    numbers: list[int]
    step_s: list[float]


def steady_from_step(windows: Sequence[Window], batch_size: int) -> int:
    """Return the number of the first step, from 1 over all epochs, after the start-up."""
    paced = _paced(windows, batch_size)
    return paced.numbers[transient_steps(paced.step_s)] if paced.numbers else 1


def project(windows: Sequence[Window], whole: Whole) -> Projection:
    """Return the time elapsed, plus the missing images at the steady pace, plus the missing starts of an epoch.

    The pace comes from steps of full batches after the start-up, the first step of each epoch left out: for it loader
    processes are started. These steps are cut into at most 127 batches of consecutive steps, spread over the whole time
    that was seen; `measuring.pace` predicts the mean of the missing ones from the batch means. The costs of an epoch
    are added with the whole range that was seen of them, or from none to twice the only one.
    Raises ValueError for fewer than ten steps.
    """
    steps = sum(len(window.step_s) for window in windows)
    if steps < MIN_STEPS:
        raise ValueError(f"a projection needs at least {MIN_STEPS} steps, got {steps}")
    paced = _paced(windows, whole.batch_size)
    transient = transient_steps(paced.step_s)
    length, means = _batch_means(paced.step_s[transient:])
    elapsed_s = math.fsum(window.train_s for window in windows)
    missing_images = whole.images - sum(sum(window.step_images) for window in windows)
    missing_steps, missing_epochs = missing_images / whole.batch_size, whole.epochs - len(windows)
    pace = predict_mean(means, missing_steps / length)
    cost = _epoch_cost(windows, pace.value)
    return Projection(
        projected_train_s=elapsed_s + missing_steps * pace.value + missing_epochs * cost.value,
        projected_train_low_s=elapsed_s + missing_steps * max(pace.low, 0.0) + missing_epochs * cost.low,
        projected_train_high_s=elapsed_s + missing_steps * pace.high + missing_epochs * cost.high,
        batches=len(means),
        batch_steps=length,
        lag1_autocorrelation=_lag1(means),
        epoch_cost_s=cost.value,
    )


def _paced(windows: Sequence[Window], batch_size: int) -> _Paced:
    """Return the full steps that do not begin an epoch; in tiny epochs all but the very first, per full batch."""
    numbers = count(1)
    steps = [
        (next(numbers), place, images, seconds)
        for window in windows
        for place, (images, seconds) in enumerate(zip(window.step_images, window.step_s, strict=True))
    ]
    chosen = [(number, seconds) for number, place, images, seconds in steps if place and images == batch_size]
    if len(chosen) < MIN_PACED_STEPS:
        chosen = [(number, seconds * batch_size / images) for number, _, images, seconds in steps[1:]]
    return _Paced([number for number, _ in chosen], [seconds for _, seconds in chosen])


def _batch_means(step_s: Sequence[float]) -> tuple[int, list[float]]:
    """Return the length of a batch, doubled until at most 127 fit, and the means; what is left over is at the start."""
    length = 1
    while len(step_s) // length > MAX_BATCHES:
        length *= 2
    batches = len(step_s) // length
    return length, np.reshape(step_s[len(step_s) - batches * length :], (batches, length)).mean(axis=1).tolist()


def _lag1(values: Sequence[float]) -> float:
    around = np.asarray(values) - np.mean(values)
    squares = around @ around
    return float(around[1:] @ around[:-1] / squares) if squares else 0.0


def _epoch_cost(windows: Sequence[Window], pace_s: float) -> Prediction:
    """Return what an epoch costs beside its steps; the first one tells only how long its first batch took to come."""
    edges = [max(0.0, window.train_s - math.fsum(window.step_s)) for window in windows]
    later = [window.step_s[0] - pace_s + edge for window, edge in zip(windows[1:], edges[1:], strict=True)]
    seen = [max(0.0, cost) for cost in later] or [max(0.0, windows[0].first_batch_s - pace_s) + edges[0]]
    mean = sum(seen) / len(seen)
    if len(seen) == 1:
        return Prediction(value=mean, low=0.0, high=2 * mean)
    return Prediction(value=mean, low=min(seen), high=max(seen))
