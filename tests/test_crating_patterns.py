"""crating.patterns: wildcards in place of their values."""

import pytest

from crating.patterns import pattern_of


@pytest.mark.parametrize(
    ("file", "wildcards", "pattern"),
    [
        (
            "runs/cnn/cpu/1.json",
            {"model": "cnn", "device": "cpu", "repeat": "1"},
            "runs/{model}/{device}/{repeat}.json",
        ),
        ("runs/1.steps.csv.gz", {"repeat": "1"}, "runs/{repeat}.steps.csv.gz"),
        ("runs/cpu/cpu/1.json", {"model": "cpu", "device": "cpu"}, "runs/{model}/{device}/1.json"),
        ("runs/11/12.json", {"repeat": "1"}, "runs/11/12.json"),
        ("tables/runs.csv", {}, "tables/runs.csv"),
    ],
)
def test_a_wildcard_stands_for_a_whole_part_or_what_precedes_its_first_dot(file, wildcards, pattern):
    assert pattern_of(file, wildcards) == pattern
