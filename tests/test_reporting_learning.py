import json

import pytest

from records import STATISTICS, Run, pairs_of
from reporting.learning import at_chance, learning
from reporting.statistics import StatisticsSettings

SETTINGS = StatisticsSettings.from_json(json.dumps(STATISTICS))


def pair_of(folder, cpu, gpu, **more):
    runs = [Run(repeat=r, accuracy=a, **more) for r, a in enumerate(cpu, start=1)]
    runs += [Run(device="cuda", gpus=1, repeat=r, accuracy=a) for r, a in enumerate(gpu, start=1)]
    (pair,) = pairs_of(folder, runs)
    return pair


def test_two_sides_above_chance_learned(tmp_path):
    assert learning(pair_of(tmp_path, [0.7], [0.71]), SETTINGS) == "ok"


@pytest.mark.parametrize(("cpu", "gpu", "device"), [([0.7, 0.12], [0.7], "cpu"), ([0.7], [0.1], "cuda")])
def test_one_run_at_chance_is_enough_to_doubt_a_side(tmp_path, cpu, gpu, device):
    assert learning(pair_of(tmp_path, cpu, gpu), SETTINGS).startswith(f"{device} at chance")


def test_both_sides_at_chance_are_both_named(tmp_path):
    assert at_chance(pair_of(tmp_path, [0.1], [0.1])).startswith("cpu and cuda at chance")


def test_accuracies_that_differ_beyond_the_margin_are_said(tmp_path):
    pair = pair_of(tmp_path, [0.70, 0.701, 0.702, 0.703, 0.704], [0.80, 0.801, 0.802, 0.803, 0.804])
    assert learning(pair, SETTINGS) == "the test accuracies of the devices differ"


def test_an_estimated_side_was_not_trained_to_its_end(tmp_path):
    assert learning(pair_of(tmp_path, [0.7], [0.7], mode="estimated"), SETTINGS) == "accuracy: not run"
