from itertools import count

import pytest

from measuring.instrument import instrument_step_s
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

    assert instrument_step_s(new_stopwatch, clock=clock, calls=50) == pytest.approx(2 + 1 / 50)
    assert len(log) == 1 + 50  # the one at the start is not timed
