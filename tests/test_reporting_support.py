import json

import pytest

from records import STATISTICS
from reporting.statistics import StatisticsSettings
from reporting.support import too_few, why_no_claim

SETTINGS = StatisticsSettings.from_json(json.dumps(STATISTICS))  # a claim needs five processes
GOOD = {"model": "resnet18", "cpu_mode": "measured", "gpu_mode": "measured", "failures": None, "n_cpu": 5, "n_gpu": 5}
GOOD |= {"learning": "ok"}


def test_measured_runs_that_learned_and_are_enough_support_a_claim():
    assert why_no_claim([GOOD, GOOD], SETTINGS) is None


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"cpu_mode": "estimated"}, "Not all epochs were run (resnet18 estimated on a side)"),
        ({"failures": "cuda without 1 diverged"}, "resnet18: cuda without 1 diverged: a claim needs every planned run"),
        ({"n_gpu": 4}, "n = 4: a claim needs 5 processes on each side."),
        ({"learning": "cpu at chance"}, "resnet18: cpu at chance: a claim needs training that learns"),
    ],
)
def test_one_row_that_lacks_something_is_the_reason(changes, reason):
    assert why_no_claim([GOOD, GOOD | changes], SETTINGS).startswith(reason)


def test_the_side_with_the_fewest_processes_counts():
    assert too_few([7, 5], SETTINGS) is None
    assert too_few([7, 2], SETTINGS) == "n = 2: a claim needs 5 processes on each side"
