import pytest

from measuring.first_costs import first_epoch_extra_s


@pytest.mark.parametrize(
    ("epoch_s", "extra_s"), [([10.0, 7.0, 6.0, 8.0], 3.0), ([5.0, 6.0, 6.0], -1.0), ([9.0, 5.0], None), ([], None)]
)
def test_the_first_epoch_is_compared_with_the_median_of_the_later_ones(epoch_s, extra_s):
    assert first_epoch_extra_s(epoch_s) == extra_s
