"""The window of all sampled steps, watched as an epoch of a run is watched: from outside."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from measuring.observer import Observer
from measuring.surroundings import Surroundings


@dataclass(frozen=True, kw_only=True)
class Window:
    """Seconds from before the first to after the last sampled step, and what else happened on the machine."""

    window_s: float
    surroundings: Surroundings


def watched(observer: Observer, work: Callable[[], None], clock: Callable[[], float] = time.perf_counter) -> Window:
    """Do the work and return what was seen around it."""
    observer.open()
    started = clock()
    work()
    seconds = clock() - started
    return Window(window_s=seconds, surroundings=observer.close().surroundings)
