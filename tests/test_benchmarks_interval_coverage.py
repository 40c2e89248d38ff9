import pytest

from interval_coverage import SIZES, coverage


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("noise", ["log-normal, equal spread", "log-normal, spread 20:1"])
def test_the_interval_of_log_normal_times_holds_the_true_ratio_as_often_as_it_says(noise, n):
    assert 0.93 <= coverage(noise, n=n, studies=4000, seed=2) <= 0.97
