import csv
import sys

import accuracy_lanes
import pytest
import yaml
from accuracy_lanes import chains, planned

from configs import ROOT

ACCURACY = ROOT / "config" / "accuracy.yaml"
TINY = {
    "study": {"models": ["simple_cnn"], "devices": ["cpu"], "recipes": ["paper", "quick"], "repeats": 1},
    "devices": {"cpu": {"budget_s": None}},
    "recipes": {
        "paper": {"dataset": "tiny", "epochs": 1},
        "quick": {"extends": "paper", "input_pipeline": "resident"},
    },
    "datasets": {"tiny": {"type": "synthetic", "train_images": 256, "test_images": 64}},
}


def test_runs_that_load_are_alone_the_largest_first_and_the_others_wait_in_a_queue_for_each_model():
    alone, others = chains(planned([ACCURACY]))
    assert [[run.recipe for run in chain] for chain in alone] == [["paper"]] * 15
    assert [chain[0].model for chain in alone] == ["resnet50"] * 5 + ["resnet18"] * 5 + ["simple_cnn"] * 5
    assert [{run.model for run in chain} for chain in others] == [{"simple_cnn"}, {"resnet18"}, {"resnet50"}]
    assert [run.recipe for run in others[0]] == ["tuned"] * 5 + ["tuned_bf16"] * 5 + ["tuned_fp16"] * 5


@pytest.mark.skipif(sys.platform != "linux", reason="taskset binds a lane to its CPUs on Linux alone")
def test_all_runs_of_a_study_are_trained_in_lanes_and_stand_in_one_table(tmp_path, monkeypatch):
    overlay = tmp_path / "tiny.yaml"
    overlay.write_text(yaml.safe_dump(TINY))
    words = ["--out", str(tmp_path / "out"), "--config", str(overlay), "--cpus", "1", "--spare", "0", "--minutes", "5"]
    monkeypatch.setattr(sys, "argv", ["accuracy_lanes.py", *words])
    accuracy_lanes.main()
    with (tmp_path / "out" / "results/tables/ablation.csv").open() as table:
        rows = {row["recipe"]: row for row in csv.DictReader(table)}
    assert {name: row["n"] for name, row in rows.items()} == {"paper": "1", "quick": "1"}
    assert 0 < float(rows["quick"]["test_accuracy"]) < 1
