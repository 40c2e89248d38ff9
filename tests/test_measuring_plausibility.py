import pytest

from measuring.plausibility import check_rate
from measuring.refusal import RefusedError


def test_a_run_above_the_ceiling_is_refused_with_both_rates():
    with pytest.raises(RefusedError, match=r"ceiling: 2 TFLOP/s were achieved, above the 1 TFLOP/s of a large matrix"):
        check_rate(flop=4e12, seconds=2.0, ceiling_flop_per_s=1e12)


@pytest.mark.parametrize(("flop", "ceiling"), [(1.9e12, 1e12), (None, 1e12), (4e12, None)])
def test_a_run_below_it_or_without_one_passes(flop, ceiling):
    check_rate(flop=flop, seconds=2.0, ceiling_flop_per_s=ceiling)
