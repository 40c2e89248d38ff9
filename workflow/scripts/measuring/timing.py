"""The clock: one window of training steps, synchronised at both edges, with a mark after each step."""

import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import torch

from measuring.devices import synchronise


class Stopwatch:
    """Times one window of steps on a device, in seconds.

    `clock` and `wait` (for the device) are arguments, so that a test can use its own. `mark` notes a moment without
    waiting: on an accelerator a device event, since there the host is ahead of the work it has queued.
    """

    def __init__(
        self,
        *,
        wait: Callable[[], None],
        mark: Callable[[], Any],
        seconds_between: Callable[[Any, Any], float],
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        """Nothing runs until `start`."""
        self._wait, self._mark, self._seconds_between, self._clock = wait, mark, seconds_between, clock
        self._marks: list[Any] = []
        self._last_mark: Any = None
        self._started = self._stopped = 0.0

    def start(self) -> None:
        """Wait for the device, then open the window."""
        self._wait()
        self._started = self._clock()
        self._marks = [self._mark()]

    def lap(self) -> None:
        """Mark the end of a step."""
        self._marks.append(self._mark())

    def elapsed_s(self) -> float:
        """Return the host time since `start`; does not wait for the device."""
        return self._clock() - self._started

    def stop(self) -> None:
        """Mark the end of all work, wait for the device, then close the window."""
        self._last_mark = self._mark()
        self._wait()
        self._stopped = self._clock()

    @property
    def window_s(self) -> float:
        """Seconds from `start` to `stop`."""
        return self._stopped - self._started

    def events_s(self) -> float:
        """Return the seconds from `start` to `stop` by the marks alone: on an accelerator the device's own clock."""
        return self._seconds_between(self._marks[0], self._last_mark)

    def step_s(self) -> list[float]:
        """Return the seconds of each step, from the previous mark to its own; call it after `stop`."""
        return [self._seconds_between(before, after) for before, after in pairwise(self._marks)]


def stopwatch_for(device: torch.device, clock: Callable[[], float] = time.perf_counter) -> Stopwatch:
    """Return a stopwatch with host marks for a CPU, with device events for an accelerator."""
    if device.type == "cpu":
        return Stopwatch(
            wait=lambda: None, mark=clock, seconds_between=lambda before, after: after - before, clock=clock
        )
    return Stopwatch(
        wait=lambda: synchronise(device),
        mark=lambda: recorded_event(device),
        seconds_between=lambda before, after: before.elapsed_time(after) / 1000,
        clock=clock,
    )


def recorded_event(device: torch.device) -> torch.Event:
    """Return an event that an accelerator times when it has finished what was queued before."""
    event = torch.Event(device, enable_timing=True)
    event.record()
    return event
