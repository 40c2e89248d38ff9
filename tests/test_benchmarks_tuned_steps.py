import math

import pytest
from tuned_steps import paired_ratio


def test_the_ratio_of_rounds_is_free_of_what_drifts_between_them():
    ratio, low, high = paired_ratio([2.0, 20.0, 200.0], [1.0, 10.0, 100.0])
    assert (ratio, low, high) == pytest.approx((2.0, 2.0, 2.0))


def test_the_interval_of_two_rounds_is_students():
    # logs 0 and log 4: mean log 2, standard error log 2, t(0.975, 1) = 12.706
    ratio, low, high = paired_ratio([1.0, 4.0], [1.0, 1.0])
    assert ratio == pytest.approx(2)
    assert math.log(high / low) == pytest.approx(2 * 12.7062 * math.log(2), rel=1e-4)


def test_one_round_has_no_interval():
    assert paired_ratio([3.0], [2.0]) == (pytest.approx(1.5), None, None)
