import pandas as pd
import pytest

from reporting.notes import absent_side, count_line, failures, machine_lines, percent, reasons


@pytest.mark.parametrize(
    ("counts", "line"),
    [
        ([1, 1], "n = 1 process a side."),
        ([5, 5], "n = 5 processes a side."),
        ([5, 1, 3], "n = 1 to 5 processes a side."),
    ],
)
def test_the_number_of_processes_is_a_number_or_a_range(counts, line):
    assert count_line(counts, "a side") == line


def test_a_share_is_written_in_percent():
    assert [percent(share) for share in (0.95, 2 * 0.95 - 1, 0.999)] == ["95 %", "90 %", "99.9 %"]


def test_the_absent_side_is_named():
    assert "no CPU run" in absent_side(pd.DataFrame({"gpus": [1, 2]}), "compare")
    assert "no GPU run" in absent_side(pd.DataFrame({"gpus": [0]}), "compare")


def test_devices_of_one_machine_share_a_line():
    assert machine_lines({"a": ["X"], "b": ["X"], "c": ["Y", "Z"], "d": []}) == ["a, b: X", "c: Y / Z"]


def test_failures_are_counted_by_status():
    assert failures(pd.Series(["ok", "oom", "missing", "oom"])) == "2 oom, 1 missing"


def test_equal_reasons_are_given_once_with_every_model():
    assert reasons([("a", "x"), ("b", "x"), ("a", "x"), ("c", "y")]) == "a, b: x. c: y."


def test_of_many_models_and_many_reasons_the_first_four_are_named():
    assert reasons([(model, "x") for model in "abcdef"]) == "a, b, c, d and 2 more: x."
    assert reasons([(model, model * 2) for model in "abcdef"]) == "a: aa. b: bb. c: cc. d: dd."
