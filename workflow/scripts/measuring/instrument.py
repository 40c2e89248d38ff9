"""What the timing itself costs: asked of the run's own stopwatch, after the training and outside every window."""

import math
import time
from collections.abc import Callable

from measuring.budget import Budget
from measuring.projection import Whole
from measuring.timing import Stopwatch

CALLS = 10_000


def instrument_step_s(
    new_stopwatch: Callable[[], Stopwatch],
    budget: Budget,
    clock: Callable[[], float] = time.perf_counter,
    calls: int = CALLS,
) -> float:
    """Return the host seconds that the mark and the budget's note of one step take, as a mean of `calls`."""
    watch = new_stopwatch()
    watch.start()
    started = clock()
    for _ in range(calls):
        watch.lap()
        budget.step(watch.elapsed_s(), 1)
    return (clock() - started) / calls


def idle_budget(budget_s: float | None) -> Budget:
    """Return a budget that does the work of one with `budget_s` at every step, and never ends anything."""
    whole = Whole(epochs=1, images_per_epoch=1, batch_size=1)
    return Budget(budget_s=None if budget_s is None else math.inf, target_half_width=None, whole=whole)
