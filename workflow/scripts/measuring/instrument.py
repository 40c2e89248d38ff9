"""What the timing itself costs: asked of the run's own stopwatch, after the training and outside every window."""

import time
from collections.abc import Callable

from measuring.budget import Budget
from measuring.timing import Stopwatch

CALLS = 10_000


def instrument_step_s(
    new_stopwatch: Callable[[], Stopwatch], clock: Callable[[], float] = time.perf_counter, calls: int = CALLS
) -> float:
    """Return the host seconds that the mark and the budget check of one step take, as a mean of `calls`."""
    watch, budget = new_stopwatch(), Budget.endless()
    watch.start()
    started = clock()
    for _ in range(calls):
        watch.lap()
        budget.step(watch.elapsed_s(), 1)
    return (clock() - started) / calls
