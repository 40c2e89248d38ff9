"""Is the stopwatch of this run true on this accelerator? Asked before anything is timed."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import torch

from measuring.devices import synchronise
from measuring.memory import forget_device_peak
from measuring.refusal import RefusedError
from measuring.timing import Stopwatch

TOLERANCE = 0.05
WINDOW_S = 0.05  # long enough that a launch and a wait weigh nothing
ATTEMPTS = 3  # another process may disturb one, or the clock of a cold GPU may still rise; a wrong stopwatch fails all
ELEMENTS = 2**26  # float32: 256 MiB, a kernel of some 0.1 ms on the fastest GPU, much longer than its launch
MOST_CALLS = 10_000


@dataclass(frozen=True, kw_only=True)
class Readings:
    """Seconds for one and for three times as much work, and of the latter by the device's events and by another clock.

    The other clock starts and stops with the device idle, whatever the stopwatch does.
    """

    once_s: float
    thrice_s: float
    thrice_events_s: float
    thrice_other_clock_s: float

    def complaint(self) -> str | None:
        """Return what is wrong with the stopwatch, with the numbers, or None."""
        once = f"{1000 * self.once_s:.2f} ms for some work"
        if not _close(self.thrice_s, 3 * self.once_s):
            return f"{once} and {1000 * self.thrice_s:.2f} ms for three times as much"
        thrice = f"{1000 * self.thrice_s:.2f} ms by the stopwatch"
        if not _close(self.thrice_events_s, self.thrice_s):
            return f"{thrice} and {1000 * self.thrice_events_s:.2f} ms by the device's events"
        if not _close(self.thrice_s, self.thrice_other_clock_s):
            return f"{thrice} and {1000 * self.thrice_other_clock_s:.2f} ms until the device was idle"
        return None


def _close(value: float, expected: float) -> bool:
    return abs(value - expected) <= TOLERANCE * expected


def self_test(device: torch.device, new_stopwatch: Callable[[], Stopwatch]) -> None:
    """Time one large kernel with the run's own stopwatch; RefusedError when the result cannot be true.

    The kernel is none that a training uses: nothing that the first steps must set up is set up here. Its memory is
    given back.
    """
    values = torch.zeros(ELEMENTS, device=device)
    try:
        check_stopwatch(launch=values.sin_, wait=lambda: synchronise(device), new_stopwatch=new_stopwatch)
    finally:
        del values
        forget_device_peak(device)


def check_stopwatch(
    *,
    launch: Callable[[], object],
    wait: Callable[[], None],
    new_stopwatch: Callable[[], Stopwatch],
    clock: Callable[[], float] = time.perf_counter,
) -> None:
    """Time `launch`, which queues a kernel of constant length; RefusedError when no attempt gives a true result."""
    calls = _enough_calls(launch, wait, clock)
    for _ in range(ATTEMPTS):
        complaint = _readings(calls, launch, wait, new_stopwatch, clock).complaint()
        if complaint is None:
            return
    raise RefusedError(
        f"self-test: the stopwatch read {complaint}, expected agreement within {TOLERANCE:.0%}: stop what else uses "
        "the device, then `make retry`"
    )


def _enough_calls(launch: Callable[[], object], wait: Callable[[], None], clock: Callable[[], float]) -> int:
    """Return how many launches fill WINDOW_S; the first ones, which load the kernel, do not count."""
    calls = 1
    while calls < MOST_CALLS:
        wait()
        started = clock()
        for _ in range(calls):
            launch()
        wait()
        if clock() - started >= WINDOW_S:
            break
        calls *= 2
    return calls


def _readings(
    calls: int,
    launch: Callable[[], object],
    wait: Callable[[], None],
    new_stopwatch: Callable[[], Stopwatch],
    clock: Callable[[], float],
) -> Readings:
    once, thrice = new_stopwatch(), new_stopwatch()
    _time(once, calls, launch)
    wait()
    started = clock()
    _time(thrice, 3 * calls, launch)
    wait()
    return Readings(
        once_s=once.window_s,
        thrice_s=thrice.window_s,
        thrice_events_s=thrice.events_s(),
        thrice_other_clock_s=clock() - started,
    )


def _time(watch: Stopwatch, calls: int, launch: Callable[[], object]) -> None:
    watch.start()
    for _ in range(calls):
        launch()
        watch.lap()
    watch.stop()
