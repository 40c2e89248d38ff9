import pytest

from estimate_coverage import coverage, estimates


@pytest.mark.parametrize("noise", ["independent", "lag-1 autocorrelation 0.8", "independent after a slow start"])
def test_the_interval_of_a_quiet_run_holds_its_time(noise):
    assert coverage(noise, runs=40, seed=2) >= 0.93


def test_where_the_means_wander_the_interval_is_wider_than_in_a_quiet_run():
    quiet, noisy = (
        sorted(each["half_width"] for each in estimates(noise, runs=21, seed=3))[10] for noise in ("independent", "1/f")
    )
    assert noisy > 2 * quiet
