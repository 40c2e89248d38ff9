import csv
import itertools
import json
import os
import subprocess
import sys
import time

import accuracy_lanes
import psutil
import pytest
import torch
import yaml
from accuracy_lanes import CONFIG, chains, earlier, first_recipe, joined, loading, merged, unlike, verdicts

from configs import DEFAULT, ROOT
from fetching.dataset import prepare
from planning.study import plan_runs
from reporting.statistics import StatisticsSettings

TINY = {
    "study": {"models": ["simple_cnn"], "devices": ["cpu"], "recipes": ["paper", "quick"], "repeats": 1},
    "devices": {"cpu": {"budget_s": None}},
    "recipes": {
        "paper": {"dataset": "tiny", "epochs": 1},
        "quick": {"extends": "paper", "input_pipeline": "resident"},
    },
    "datasets": {"tiny": {"type": "synthetic", "train_images": 256, "test_images": 64}},
}


def test_runs_that_load_are_alone_the_largest_first_and_the_others_wait_in_a_queue_for_each_model_and_recipe():
    config = merged([CONFIG / "config.yaml", CONFIG / "accuracy.yaml"])
    alone, others = chains(plan_runs(config, config["study"]["devices"]), loading(config))
    assert {run.recipe for run in alone} == {"paper"}
    assert [run.model for run in alone] == ["resnet50"] * 5 + ["resnet18"] * 5 + ["simple_cnn"] * 5
    assert all(len({(run.model, run.recipe) for run in chain}) == 1 for chain in others)
    queues = {(chain[0].model, chain[0].recipe): [run.repeat for run in chain] for chain in others}
    tuned = itertools.product(["simple_cnn", "resnet18", "resnet50"], ["tuned", "tuned_bf16", "tuned_fp16"])
    assert queues == {pair: [1, 2, 3, 4, 5] for pair in tuned}


def test_no_run_is_bound_to_one_cpu_where_no_recipe_loads():
    config = merged([CONFIG / "config.yaml", CONFIG / "accuracy.yaml"])
    config["study"]["recipes"] = ["tuned", "tuned_bf16"]  # `paper` was trained in an earlier call
    alone, others = chains(plan_runs(config, config["study"]["devices"]), loading(config))
    assert (alone, len(others)) == ([], 6)


def test_the_recipe_that_others_are_compared_with_does_not_hang_on_which_call_trained_it():
    records = [
        row_of(repeat, recipe=name, mode="measured", test_accuracy=accuracy)
        for name, accuracy in (("tuned", 0.5), ("paper", 0.6), ("tuned_bf16", 0.8))
        for repeat in (1, 2)
    ]
    order = merged([CONFIG / "config.yaml"])["recipes"]
    assert first_recipe(records, order) == "paper"
    assert first_recipe(records[:2], order) == "tuned"
    assert first_recipe([], order) is None
    settings = StatisticsSettings.from_json(json.dumps(DEFAULT["statistics"]))
    differences = {row["recipe"]: row.get("difference") for row in verdicts(records, settings, "paper")}
    assert differences == {"tuned": pytest.approx(-0.1), "paper": None, "tuned_bf16": pytest.approx(0.2)}


def test_a_run_that_a_budget_ended_does_not_count_as_measured_later(tmp_path):
    table = tmp_path / "accuracy_runs.csv"
    accuracy_lanes.write(
        table,
        accuracy_lanes.RUN_COLUMNS,
        [row_of(1, mode="estimated", status="ok", test_accuracy=0.5, code_sha256="aa", torch="2.1")],
    )
    assert [row["mode"] for row in earlier(table)] == ["estimated"]


def rows_in(path):
    with path.open(encoding="utf-8", newline="") as table:
        return list(csv.DictReader(table))


def verdicts_in(folder):
    return {row["recipe"]: row for row in rows_in(folder / "accuracy_verdicts.csv")}


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

    (run, _) = rows_in(tmp_path / "out" / "accuracy_runs.csv")
    assert (run["torch"], len(run["code_sha256"]), len(run["key"])) == (torch.__version__, 64, 10)

    overlay.write_text(yaml.safe_dump(TINY | {"study": TINY["study"] | {"recipes": ["quick"]}}))
    more = ["--out", str(tmp_path / "more"), *words[2:], "--earlier", str(tmp_path / "out" / "accuracy_runs.csv")]
    monkeypatch.setattr(sys, "argv", ["accuracy_lanes.py", *more, "--cpus", "1", "--spare", "0"])
    accuracy_lanes.main()
    rows = verdicts_in(tmp_path / "more")
    assert {name: row["n"] for name, row in rows.items()} == {"paper": "1", "quick": "1"}  # the same seed counts once
    assert [run["recipe"] for run in rows_in(tmp_path / "more" / "accuracy_runs.csv")] == ["paper", "quick"]

    overlay.write_text(
        yaml.safe_dump(TINY | {"recipes": {**TINY["recipes"], "paper": {"dataset": "tiny", "epochs": 2}}})
    )
    with pytest.raises(SystemExit, match="run paper/simple_cnn/cpu/1 has epochs_done 1, expected 2"):
        accuracy_lanes.main()


def row_of(repeat, **changes):
    return {"recipe": "paper", "model": "a", "device": "cpu", "repeat": repeat} | changes


def test_a_run_that_is_trained_again_takes_the_place_of_the_earlier_one():
    before = [row_of(1, test_accuracy=0.5), row_of(2, test_accuracy=0.6)]
    now = [row_of(2, test_accuracy=0.7), row_of(3, test_accuracy=0.8)]
    assert [row["test_accuracy"] for row in joined(before, now)] == [0.5, 0.7, 0.8]


@pytest.mark.parametrize("column", ["code_sha256", "torch", "epochs_done"])
def test_earlier_runs_of_other_code_torch_or_epochs_are_refused(column):
    expected = {"a": {"code_sha256": "aa", "torch": "2.1", "epochs_done": "10"}}
    assert unlike([row_of(1, **expected["a"]), row_of(1, model="b", torch="1")], expected) is None
    problem = unlike([row_of(1, **expected["a"]), row_of(2, **expected["a"] | {column: "3"})], expected)
    assert problem.startswith(f"run paper/a/cpu/2 has {column} 3, expected {expected['a'][column]} as in")


def test_an_earlier_table_without_code_and_torch_is_taken_with_a_note(tmp_path, capsys):
    table = tmp_path / "accuracy_runs.csv"
    table.write_text("recipe,model,device,repeat,status,epochs_done,test_accuracy\npaper,a,cpu,1,ok,10,0.5\n")
    rows = earlier(table)
    assert unlike(rows, {"a": {"code_sha256": "aa", "torch": "2.1", "epochs_done": "10"}}) is None
    assert (rows[0]["repeat"], rows[0]["test_accuracy"]) == (1, 0.5)
    assert "some rows do not say their code or torch, so these are not compared" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a process watch another one")
def test_killed_lanes_leave_no_run_behind(tmp_path):
    prepare({"name": "tiny", **TINY["datasets"]["tiny"]}, tmp_path / "tiny.npz", tmp_path / "tiny.sha256")
    overlay = tmp_path / "overlay.yaml"
    overlay.write_text(
        yaml.safe_dump(TINY | {"recipes": {**TINY["recipes"], "paper": {"dataset": "tiny", "epochs": 99999}}})
    )
    words = [
        "--out",
        tmp_path / "out",
        "--config",
        overlay,
        "--data",
        tmp_path / "tiny.npz",
        "--cpus",
        "1",
        "--spare",
        "0",
    ]
    environment = os.environ | {"PYTHONPATH": f"{ROOT}/workflow/scripts", "TMPDIR": str(tmp_path)}
    command = [sys.executable, ROOT / "benchmarks" / "accuracy_lanes.py", *words]
    said = tmp_path / "said"  # no pipe: a run that cannot print any more ends, too
    with said.open("w") as file, subprocess.Popen(command, stderr=file, env=environment) as lanes:
        while "simple_cnn" not in said.read_text():  # no run has begun
            assert lanes.poll() is None, said.read_text()
            time.sleep(0.5)
        runs = psutil.Process(lanes.pid).children(recursive=True)
        lanes.kill()
    try:
        assert psutil.wait_procs(runs, timeout=60)[1] == []
    finally:
        for run in runs:
            if run.is_running():
                run.kill()
