from reporting.statistics import Estimate
from reporting.verdicts import CONFIRMED, VERDICTS, read_estimate, verdict


def test_a_row_holds_value_interval_verdict_and_reason():
    row = verdict(CONFIRMED, "because", Estimate(value=2.0, low=1.0, high=3.0))
    expected = {"ours": 2.0, "ours_low": 1.0, "ours_high": 3.0, "verdict": "confirmed", "reason": "because"}
    assert row == expected


def test_without_an_estimate_the_columns_are_empty():
    assert [verdict("x", "y")[name] for name in ("ours", "ours_low", "ours_high")] == [None] * 3


def test_an_estimate_is_read_from_the_columns_of_a_row():
    row = {"speedup": 2.0, "speedup_low": 1.5, "speedup_high": 2.5}
    assert read_estimate(row, "speedup") == Estimate(value=2.0, low=1.5, high=2.5)


def test_an_interval_that_lies_across_a_bound_decides_nothing():
    assert VERDICTS == {"inside": "confirmed", "outside": "not confirmed", "across": "inconclusive"}
