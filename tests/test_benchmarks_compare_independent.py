import argparse
import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from compare_independent import append, ratio_of_medians, settings_for
from runs import made_images, save_images

SCRIPT = Path("benchmarks/compare_independent.py")


def runs_of(workflow, independent):
    return [{"program": "workflow", "train_s": seconds} for seconds in workflow] + [
        {"program": "independent", "train_s": seconds} for seconds in independent
    ]


def test_the_ratio_is_of_medians_so_that_one_slow_run_does_not_decide():
    assert ratio_of_medians(runs_of([10.2, 10.3, 99.0], [10.0, 9.0, 11.0])) == pytest.approx(1.03)


def test_the_recipe_is_the_studys_but_for_epochs_loaders_and_threads():
    wanted = argparse.Namespace(model="resnet18", device="cpu", epochs=2, workers=4, threads=1)
    settings = settings_for(wanted)
    assert (settings.recipe.epochs, settings.recipe.loader_workers, settings.device.threads) == (2, 4, 1)
    assert (settings.recipe.batch_size, settings.recipe.learning_rate, settings.device.budget_s) == (128, 0.001, None)


def test_a_second_comparison_adds_its_rows_below_one_header(tmp_path):
    append(tmp_path / "t.csv", [{"model": "simple_cnn", "train_s": 1.5}])
    append(tmp_path / "t.csv", [{"model": "resnet18", "train_s": 2.5}])
    assert (tmp_path / "t.csv").read_text() == "model,train_s\nsimple_cnn,1.5\nresnet18,2.5\n"


def test_both_programs_run_in_turn_on_the_same_images_and_reach_the_table(tmp_path):
    save_images(made_images(), tmp_path)
    out = tmp_path / "out.csv"
    options = ["--data", tmp_path / "made.npz", "--epochs", "1", "--threads", "1", "--runs", "2", "--out", out]
    environment = os.environ | {"PYTHONPATH": "workflow/scripts", "TMPDIR": tempfile.gettempdir()}
    subprocess.run([sys.executable, SCRIPT, "simple_cnn", "cpu", *options], check=True, env=environment)
    rows = list(csv.DictReader(out.open()))
    assert [row["program"] for row in rows] == ["workflow", "independent", "independent", "workflow"]
    assert [row["repeat"] for row in rows] == ["1", "1", "2", "2"]
    assert {row["images"] for row in rows} == {"105"} and {row["threads"] for row in rows} == {"1"}
    assert all(float(row["train_s"]) > 0 for row in rows)
    assert len({(row["ratio_of_medians"], row["agrees"]) for row in rows}) == 1
