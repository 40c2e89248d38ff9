import pytest

from records import Run, pairs_of
from reporting.pairs import cpu_sides, remarks
from reporting.tables import RUN_COLUMNS, read_table


def test_each_device_without_gpu_meets_each_device_with_one_in_the_same_recipe(tmp_path):
    devices = [("cpu", 0), ("cpu_4", 0), ("cuda", 1)]
    runs = [Run(recipe=recipe, device=name, gpus=gpus) for recipe in ("paper", "tuned") for name, gpus in devices]
    found = [(pair.recipe, pair.cpu.device, pair.gpu.device) for pair in pairs_of(tmp_path, runs)]
    assert found == [(recipe, cpu, "cuda") for recipe in ("paper", "tuned") for cpu in ("cpu", "cpu_4")]


def test_a_study_of_one_side_has_pairs_with_an_empty_side(tmp_path):
    (pair,) = pairs_of(tmp_path, [Run()])
    assert pair.gpu.device is None and pair.gpu.ok.empty
    assert pair.gpu.mode is pair.gpu.name is pair.gpu.threads is pair.gpu.mean("train_s") is None


def test_a_side_counts_only_runs_that_ended_well(tmp_path):
    failed = Run(repeat=3, status="diverged", changes={"train_s": None})
    (pair,) = pairs_of(tmp_path, [Run(seconds=10), Run(repeat=2, seconds=20), failed, Run(device="cuda", gpus=1)])
    assert pair.cpu.times("train_s") == [10, 20]
    assert pair.cpu.mean("train_s") == 15
    assert pair.failures == ["cpu without 1 diverged"]


def test_an_estimated_side_gives_projections_and_no_total(tmp_path):
    (pair,) = pairs_of(tmp_path, [Run(seconds=100, mode="estimated"), Run(device="cuda", gpus=1)])
    assert (pair.estimated, pair.cpu.times("train_s"), pair.cpu.times("total_s")) == (["cpu"], [100], [])
    assert pair.cpu.ends("low") == [pytest.approx(80)] and pair.gpu.ends("low") == pair.gpu.times("train_s")
    assert "cpu estimated: total_s not run" in remarks(pair, "total_s")


def test_a_side_that_mixes_measured_and_estimated_runs_has_no_mean(tmp_path):
    (pair,) = pairs_of(tmp_path, [Run(), Run(repeat=2, mode="estimated"), Run(device="cuda", gpus=1)])
    assert pair.cpu.mode == "mixed"
    assert pair.cpu.mean("parameters") is None


def test_one_process_on_a_side_is_remarked(tmp_path):
    (pair,) = pairs_of(tmp_path, [Run(), Run(device="cuda", gpus=1)])
    assert remarks(pair, "train_s") == ["no interval: n = 1"]


def test_the_cpu_devices_of_a_study_without_any_are_an_empty_list(tmp_path):
    pairs_of(tmp_path, [Run(device="cuda", gpus=1)])
    runs = read_table(tmp_path / "tables" / "runs.csv", RUN_COLUMNS)
    assert cpu_sides(runs) == {("paper", "resnet18"): []}


def test_a_side_that_mixes_measured_and_estimated_runs_has_no_times(tmp_path):
    (pair,) = pairs_of(tmp_path, [Run(), Run(repeat=2, mode="estimated"), Run(device="cuda", gpus=1)])
    assert pair.cpu.times("train_s") == pair.cpu.times("total_s") == []
