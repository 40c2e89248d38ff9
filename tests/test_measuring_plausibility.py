import pytest

from measuring.plausibility import check_rate
from measuring.refusal import RefusedError


def check(fewest_flop, seconds=2.0):
    check_rate(flop=4e12, fewest_flop=fewest_flop, seconds=seconds, ceiling=1e12)


def test_a_run_above_the_ceiling_whatever_its_algorithm_is_refused_with_the_rates():
    with pytest.raises(RefusedError, match=r"ceiling: 2 TFLOP/s were .* at least 1.2 TFLOP/s .*, above the 1 TFLOP/s"):
        check(2.4e12)


@pytest.mark.parametrize("fewest_flop", [0.0, 1e12, 2e12])
def test_a_run_that_a_fast_algorithm_explains_passes(fewest_flop):
    check(fewest_flop)


def test_a_run_without_a_step_passes():
    check(0.0, seconds=0.0)
