from itertools import count

import pytest

from measuring.instrument import idle_budget, instrument_step_s
from measuring.timing import Stopwatch


def test_the_cost_of_a_step_is_that_of_one_mark_and_one_look_at_the_clock():
    ticks = count()
    log = []

    def clock():
        return float(next(ticks))  # every reading takes one second

    def mark():
        log.append("mark")
        return clock()

    def new_stopwatch():
        return Stopwatch(wait=lambda: None, mark=mark, seconds_between=lambda a, b: b - a, clock=clock)

    assert instrument_step_s(new_stopwatch, idle_budget(None), clock=clock, calls=50) == pytest.approx(2 + 1 / 50)
    assert len(log) == 1 + 50  # the one at the start is not timed


def test_the_budget_works_as_in_a_budgeted_run_and_never_ends_one():
    budget = idle_budget(100.0)
    assert not any(budget.step(float(second), 128) for second in range(10**4))
    assert budget.budget_s == float("inf") and idle_budget(None).budget_s is None
