"""The clock of the instrumented pass: the parts of one training step, which add up to it."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch

from measuring.devices import synchronise
from measuring.timing import recorded_event

PARTS = ("data_wait", "copy", "forward", "backward", "optimizer")
OTHER = "other"


@dataclass(frozen=True, kw_only=True)
class StepParts:
    """One sampled step: its images, and the seconds of the step and of each part."""

    images: int
    step_s: float
    host_s: dict[str, float]
    """By the host's clock; PARTS and OTHER, which is what the parts leave of the step."""
    device_s: dict[str, float] | None
    """By device events around PARTS: from the start of a part to the end of its last work there; None on a CPU."""


class PartTimer:
    """Times the parts of steps by the host's clock, with the device idle at both edges of every part.

    So a part holds all that it caused, launches and device work, and nothing that another part left queued. The price
    is that host and device no longer work at the same time: these parts are true durations of a serialised step, and
    such a step is longer than an undisturbed one. `clock` and `wait` (for the device) are arguments, so that a test
    can use its own; `mark` queues a device event, None on a CPU, where nothing is queued.
    """

    def __init__(
        self,
        *,
        wait: Callable[[], None],
        mark: Callable[[], Any] | None = None,
        seconds_between: Callable[[Any, Any], float] | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        """Nothing runs until `start_step`."""
        self._wait, self._mark, self._seconds_between, self._clock = wait, mark, seconds_between, clock
        self._host_s = dict.fromkeys(PARTS, 0.0)
        self._marks: list[tuple[str, Any, Any]] = []
        self._started = 0.0

    def start_step(self) -> None:
        """Wait for the device, then begin a step."""
        self._host_s, self._marks = dict.fromkeys(PARTS, 0.0), []
        self._wait()
        self._started = self._clock()

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Time what runs inside, and all that it queues on the device; a part that comes twice in a step adds up."""
        started = self._clock()  # the device is idle: so the step and every part before this one left it
        before = self._mark() if self._mark else None
        yield
        after = self._mark() if self._mark else None
        self._wait()
        self._host_s[name] += self._clock() - started
        self._marks.append((name, before, after))

    def end_step(self, images: int) -> StepParts:
        """End the step and return its times."""
        step_s = self._clock() - self._started
        other_s = step_s - math.fsum(self._host_s.values())
        return StepParts(
            images=images, step_s=step_s, host_s=self._host_s | {OTHER: max(0.0, other_s)}, device_s=self._device_s()
        )

    def _device_s(self) -> dict[str, float] | None:
        if self._seconds_between is None:
            return None
        seconds = dict.fromkeys(PARTS, 0.0)
        for name, before, after in self._marks:
            seconds[name] += self._seconds_between(before, after)
        return seconds


def timer_for(device: torch.device, clock: Callable[[], float] = time.perf_counter) -> PartTimer:
    """Return a timer with the host's clock alone for a CPU, with device events beside it for an accelerator."""
    if device.type == "cpu":
        return PartTimer(wait=lambda: None, clock=clock)
    return PartTimer(
        wait=lambda: synchronise(device),
        mark=lambda: recorded_event(device),
        seconds_between=lambda before, after: before.elapsed_time(after) / 1000,
        clock=clock,
    )
