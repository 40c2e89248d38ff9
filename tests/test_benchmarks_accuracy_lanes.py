import csv
import sys

import accuracy_lanes
import pytest
import yaml
from accuracy_lanes import CONFIG, chains, merged

from fetching.dataset import prepare
from planning.study import plan_runs

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
    config = merged([CONFIG / "config.yaml", CONFIG / "accuracy.yaml"])
    alone, others = chains(plan_runs(config, config["study"]["devices"]))
    assert {run.recipe for run in alone} == {"paper"}
    assert [run.model for run in alone] == ["resnet50"] * 5 + ["resnet18"] * 5 + ["simple_cnn"] * 5
    assert [{run.model for run in chain} for chain in others] == [{"simple_cnn"}, {"resnet18"}, {"resnet50"}]
    assert [run.recipe for run in others[0]] == ["tuned"] * 5 + ["tuned_bf16"] * 5 + ["tuned_fp16"] * 5


def verdicts_in(folder):
    with (folder / "accuracy_verdicts.csv").open() as table:
        return {row["recipe"]: row for row in csv.DictReader(table)}


@pytest.mark.skipif(sys.platform != "linux", reason="a process is bound to its CPUs on Linux alone")
def test_all_runs_are_trained_and_each_recipe_is_compared_with_the_first(tmp_path, monkeypatch):
    overlay = tmp_path / "tiny.yaml"
    overlay.write_text(yaml.safe_dump(TINY))
    prepare({"name": "tiny", **TINY["datasets"]["tiny"]}, tmp_path / "tiny.npz", tmp_path / "tiny.sha256")
    words = ["--out", str(tmp_path / "out"), "--config", str(overlay), "--data", str(tmp_path / "tiny.npz")]
    monkeypatch.setattr(sys, "argv", ["accuracy_lanes.py", *words, "--cpus", "1", "--spare", "0"])
    accuracy_lanes.main()
    rows = verdicts_in(tmp_path / "out")
    assert {name: row["n"] for name, row in rows.items()} == {"paper": "1", "quick": "1"}
    assert (rows["paper"]["verdict"], rows["quick"]["verdict"]) == ("", "inconclusive")

    overlay.write_text(yaml.safe_dump(TINY | {"study": TINY["study"] | {"recipes": ["quick"]}}))
    more = ["--out", str(tmp_path / "more"), *words[2:], "--earlier", str(tmp_path / "out" / "accuracy_runs.csv")]
    monkeypatch.setattr(sys, "argv", ["accuracy_lanes.py", *more, "--cpus", "1", "--spare", "0"])
    accuracy_lanes.main()
    rows = verdicts_in(tmp_path / "more")
    assert {name: row["n"] for name, row in rows.items()} == {"paper": "1", "quick": "2"}
    assert rows["quick"]["verdict"] == "inconclusive"
