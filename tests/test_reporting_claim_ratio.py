import json

import pytest

from records import PUBLISHED, STATISTICS
from reporting.claim_ratio import judge_ratio
from reporting.published import read_published
from reporting.statistics import StatisticsSettings

STUDY = read_published(PUBLISHED)
SETTINGS = StatisticsSettings.from_json(json.dumps(STATISTICS))  # a tolerance of 25 %: 5.475 to 9.125 for ResNet18


def row(low, high):
    names = {"model": "resnet18", "gpu_name": "G", "cpu_name": "C"}
    return names | {"speedup": (low + high) / 2, "speedup_low": low, "speedup_high": high}


@pytest.mark.parametrize(
    ("train", "total", "verdict"),
    [
        ((7, 8), (6, 7), "confirmed"),
        ((2, 3), (2, 4), "not confirmed"),
        ((5, 8), (5, 8), "inconclusive"),
        ((7, 8), (2, 3), "inconclusive"),
    ],
)
def test_a_ratio_needs_both_clocks_on_one_side_of_the_tolerance(train, total, verdict):
    assert judge_ratio(row(*train), row(*total), STUDY, SETTINGS)["verdict"] == verdict


def test_the_ratio_by_the_other_clock_has_its_interval():
    assert "; by total_s: 6.5 (6 to 7). " in judge_ratio(row(7, 8), row(6, 7), STUDY, SETTINGS)["reason"]


def test_clocks_that_disagree_are_named_with_both_machines():
    reason = judge_ratio(row(7, 8), row(2, 3), STUDY, SETTINGS)["reason"]
    assert "By train_s the interval lies within" in reason
    assert "by total_s, 2.5 (2 to 3), outside" in reason
    assert "Ours: G over C; the study: " in reason
