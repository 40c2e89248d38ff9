import math

import numpy as np
import pytest
from scipy import stats

from records import STATISTICS
from reporting.statistics import (
    Estimate,
    StatisticsSettings,
    difference,
    equivalence,
    geometric_mean,
    linear_combination,
    log_growth,
    parity_verdict,
    place,
    ratio,
)

SETTINGS = StatisticsSettings(**STATISTICS)


def test_equal_times_give_their_ratio_and_an_interval_without_width():
    estimate = ratio([10, 10, 10], [5, 5, 5], confidence=0.95)
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx((2, 2, 2))


def test_the_interval_of_a_ratio_is_welchs_on_logs():
    cpu, gpu = [98.0, 105.0, 101.0, 110.0], [11.0, 9.5, 10.2]
    expected = stats.ttest_ind(np.log(cpu), np.log(gpu), equal_var=False).confidence_interval(0.9)
    estimate = ratio(cpu, gpu, confidence=0.9)
    assert (estimate.low, estimate.high) == pytest.approx((math.exp(expected.low), math.exp(expected.high)))


def test_the_interval_of_a_difference_is_welchs():
    gpu, cpu = [0.70, 0.72, 0.71], [0.69, 0.70, 0.74, 0.68]
    expected = stats.ttest_ind(gpu, cpu, equal_var=False).confidence_interval(0.95)
    estimate = difference(gpu, cpu, confidence=0.95)
    assert (estimate.low, estimate.high) == pytest.approx((expected.low, expected.high))


def test_one_process_on_a_side_gives_a_value_and_no_interval():
    assert ratio([10], [5, 5.1], confidence=0.95).low is None
    assert ratio([10], [4, 4], confidence=0.95).value == pytest.approx(2.5)


def test_ratios_are_of_geometric_means():
    assert geometric_mean([1, 100]) == pytest.approx(10)
    assert ratio([1, 100], [2, 2], confidence=0.95).value == pytest.approx(5)


def test_the_slope_of_an_exact_power_law_is_its_exponent():
    before, after = ([2.0] * 3, [2.0] * 3), ([2 * 100**1.5] * 3, [2 * 100**0.7] * 3)
    estimate = log_growth(before, after, size_factor=100, confidence=0.95)
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx((0.8, 0.8, 0.8))


def test_the_growth_of_a_ratio_is_the_quotient_of_the_two():
    growth = log_growth(([10.0], [5.0]), ([60.0], [6.0]), confidence=0.95).exp()
    assert (growth.value, growth.low) == (pytest.approx(5), None)  # from 2 to 10


def test_the_interval_of_a_growth_is_welchs_over_four_samples():
    before, after = ([10.0, 11.0], [5.0, 5.5]), ([50.0, 52.0], [9.0, 9.4])
    logs = [np.log(sample) for sample in (*after, *before)]
    expected = linear_combination(logs, [1, -1, -1, 1], confidence=0.95)
    growth = log_growth(before, after, confidence=0.95)
    assert (growth.value, growth.low, growth.high) == pytest.approx((expected.value, expected.low, expected.high))


@pytest.mark.parametrize(
    ("low", "high", "expected"), [(1.5, 2.5, "inside"), (3.1, 4, "outside"), (0.2, 0.9, "outside"), (2, 4, "across")]
)
def test_an_interval_lies_inside_outside_or_across_a_band(low, high, expected):
    assert place(Estimate(value=(low + high) / 2, low=low, high=high), 1, 3) == expected


def test_a_value_without_interval_decides_nothing():
    assert place(Estimate(value=2), 1, 3) == "across"


ALIKE = [0.700, 0.702, 0.701, 0.699, 0.698]


@pytest.mark.parametrize(
    ("shift", "verdict"),
    [(0, "equal"), (0.005, "equal"), (0.05, "different"), (-0.05, "different"), (0.01, "inconclusive")],
)
def test_parity_is_equal_within_the_margin_and_different_beyond_it(shift, verdict):
    assert parity_verdict([value + shift for value in ALIKE], ALIKE, SETTINGS) == verdict


def test_parity_of_too_few_processes_is_inconclusive():
    assert parity_verdict(ALIKE[:4], ALIKE, SETTINGS) == "inconclusive"


def test_equality_uses_the_interval_of_one_minus_two_alpha():
    gpu, cpu = [0.712, 0.700, 0.700, 0.700, 0.698], [0.700, 0.694, 0.696, 0.700, 0.700]
    narrow, wide = difference(gpu, cpu, confidence=0.90), difference(gpu, cpu, confidence=0.95)
    margin = (narrow.high + wide.high) / 2
    settings = StatisticsSettings(**{**STATISTICS, "parity_margin": margin})
    assert narrow.high < margin < wide.high
    assert parity_verdict(gpu, cpu, settings) == "equal"
    shown = equivalence(gpu, cpu, settings)
    assert (shown.low, shown.high) == pytest.approx((narrow.low, narrow.high))


def test_the_interval_that_decides_on_equality_decides_on_difference():
    gpu, cpu = [0.812, 0.800, 0.800, 0.800, 0.798], [0.700, 0.694, 0.696, 0.700, 0.700]
    narrow, wide = difference(gpu, cpu, confidence=0.90), difference(gpu, cpu, confidence=0.95)
    settings = StatisticsSettings(**{**STATISTICS, "parity_margin": (narrow.low + wide.low) / 2})
    assert wide.low < settings.parity_margin < narrow.low
    assert parity_verdict(gpu, cpu, settings) == "different"
