import pytest

from measuring.plausibility import check_rate
from measuring.refusal import RefusedError


def check(flop=4e12, fewest_share=1.0, ceiling=1e12):
    check_rate(flop=flop, fewest_share=fewest_share, seconds=2.0, ceiling=ceiling)


def test_a_run_above_the_ceiling_whatever_its_algorithm_is_refused_with_the_rates():
    with pytest.raises(RefusedError, match=r"ceiling: 2 TFLOP/s were .* at least 1.2 TFLOP/s .*, above the 1 TFLOP/s"):
        check(fewest_share=0.6)


@pytest.mark.parametrize("fewest_share", [0.25, 0.5])
def test_a_run_that_a_fast_algorithm_explains_passes(fewest_share):
    check(fewest_share=fewest_share)


@pytest.mark.parametrize(
    "changes", [{"flop": 1.9e12}, {"flop": None}, {"fewest_share": None}, {"ceiling": None}], ids=str
)
def test_a_run_below_it_or_with_something_unknown_passes(changes):
    check(**changes)
