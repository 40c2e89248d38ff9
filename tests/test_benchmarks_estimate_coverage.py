import statistics

import pytest

from estimate_coverage import LIMITS, estimates


def mean(name, noise, runs=20, seed=2):
    return statistics.mean(each[name] for each in estimates(noise, limit=LIMITS[0], runs=runs, seed=seed))


@pytest.mark.parametrize("noise", ["independent", "lag-1 autocorrelation 0.8", "independent after a slow start"])
def test_the_interval_of_a_quiet_run_holds_its_time(noise):
    assert mean("coverage", noise) >= 0.93


def test_where_the_means_wander_the_interval_is_wider_than_in_a_quiet_run():
    assert mean("half_width", "1/f", runs=20) > 2 * mean("half_width", "independent", runs=20)
