import csv
import gzip
import json
from pathlib import Path

import pytest

from lineage.job import UserError
from records import EPOCHS, IMAGES, SCHEMA, Run, write
from reporting.estimate_validation import validate_estimates
from reporting.tables import VALIDATION_COLUMNS, VALIDATION_SUMMARY_COLUMNS, read_table

BATCH = 128
CPU = {"type": "cpu", "gpus": 0, "threads": "auto", "budget_s": None, "target_half_width": None}
DEVICES = {"cpu": CPU, "cpu_budgeted": CPU | {"budget_s": 10.0}, "cuda": CPU | {"type": "cuda", "gpus": 1}}


def write_steps(folder, files, slow_from=EPOCHS + 1):
    """Write 391 equal steps an epoch, as long as the record says; twice as long from an epoch on."""
    paths = []
    for path in files.records:
        record = json.loads(Path(path).read_text())
        rows = list(csv.DictReader(Path(path.replace(".json", ".csv")).read_text().splitlines()))
        steps = path.replace(".json", ".steps.csv.gz")
        with gzip.open(steps, "wt") as file:
            file.write("epoch,step,images,step_s\n")
            for row in rows if record["mode"] == "measured" else []:
                step_s = float(row["train_s"]) / (IMAGES / BATCH) * (2 if int(row["epoch"]) >= slow_from else 1)
                lines = [f"{row['epoch']},{step},{BATCH},{step_s}" for step in range(1, 391)]
                file.write("\n".join([*lines, f"{row['epoch']},391,80,{step_s * 80 / BATCH}", ""]))
        paths.append(steps)
    return paths


def validated(folder, runs, devices=DEVICES, **steps):
    files = write(folder, runs)
    validate_estimates(
        records=files.records,
        epochs=files.epochs,
        steps=write_steps(folder, files, **steps),
        schema=str(SCHEMA),
        devices=json.dumps(devices),
        output=str(folder / "table.csv"),
        summary_output=str(folder / "summary.csv"),
    )
    table = read_table(folder / "table.csv", VALIDATION_COLUMNS)
    return table, read_table(folder / "summary.csv", VALIDATION_SUMMARY_COLUMNS)


def test_a_measured_run_is_held_against_the_estimate_from_its_own_first_steps(tmp_path):
    table, _ = validated(tmp_path, [Run(seconds=1000)])
    (row,) = table.to_dict("records")
    assert (row["kind"], row["device"], row["full_device"]) == ("same process", "cpu_budgeted", "cpu")
    assert row["elapsed_train_s"] == pytest.approx(10.0, abs=0.3)  # a step takes 0.256 s
    assert row["time_share"] == pytest.approx(0.01, rel=0.03)
    assert row["projected_train_s"] == pytest.approx(1000, rel=1e-3)
    assert row["error"] == pytest.approx(0, abs=1e-3)
    assert row["steps_done"] == 40


def test_a_run_that_slows_down_afterwards_is_not_covered(tmp_path):
    # the record's time holds the slow epochs as little as its table does: the error is that of the steps seen
    slow = Run(seconds=1000, changes={"train_s": 1800.0})
    table, summary = validated(tmp_path, [slow], slow_from=3)
    assert table["error"][0] == pytest.approx(1000 / 1800 - 1, rel=1e-2)
    assert table["covered"].tolist() == ["False"]
    assert summary["coverage"].tolist() == [0.0, 0.0]


def test_a_budgeted_run_is_held_against_the_measured_run_of_the_same_repeat(tmp_path):
    budgeted = [Run(device="cpu_budgeted", repeat=r, mode="estimated", seconds=100, epochs_done=1) for r in (1, 2, 3)]
    table, _ = validated(tmp_path, [Run(seconds=90), Run(repeat=2, seconds=120), *budgeted])
    rows = table[table["kind"] == "other process"]
    assert rows["actual_train_s"].tolist() == [90.0, 120.0]  # the third has no counterpart
    assert rows["error"].tolist() == pytest.approx([100 / 90 - 1, 100 / 120 - 1])
    assert rows["covered"].tolist() == ["True", "True"]  # its interval is 80 to 130


def test_kinds_and_long_runs_are_summed_up_apart(tmp_path):
    budgeted = Run(device="cpu_budgeted", mode="estimated", seconds=100, epochs_done=1)
    _, summary = validated(tmp_path, [Run(seconds=90), Run(repeat=2, seconds=400), budgeted])
    assert summary[["kind", "shortest_s", "n"]].to_numpy().tolist() == [
        ["same process", 0.0, 2],
        ["same process", 180.0, 1],
        ["other process", 0.0, 1],
    ]
    assert summary["largest_error"][2] == pytest.approx(100 / 90 - 1)
    assert summary["within_3_percent"].tolist() == [1.0, 1.0, 0.0]


def test_runs_that_did_not_end_well_give_no_estimate(tmp_path):
    table, summary = validated(tmp_path, [Run(status="oom", changes={"train_s": None})])
    assert table.empty and summary.empty


def test_a_study_without_a_pair_of_devices_is_told_what_to_do(tmp_path):
    with pytest.raises(UserError, match="names no device with a budget_s beside one that is the same without: lay "):
        validated(tmp_path, [Run()], devices={"cpu": CPU})


def test_a_damaged_table_of_steps_is_named(tmp_path):
    files = write(tmp_path, [Run()])
    damaged = tmp_path / "1.steps.csv.gz"
    damaged.write_bytes(gzip.compress(b"epoch,step\n1,1\n"))
    with pytest.raises(UserError, match=r"1\.steps\.csv\.gz: expected a table with the seconds of each step"):
        validate_estimates(
            records=files.records,
            epochs=files.epochs,
            steps=[str(damaged)],
            schema=str(SCHEMA),
            devices=json.dumps(DEVICES),
            output=str(tmp_path / "table.csv"),
            summary_output=str(tmp_path / "summary.csv"),
        )


def test_an_estimate_is_not_held_against_a_run_of_other_software_or_another_host(tmp_path, capsys):
    elsewhere = ({"machine.host": "node2"}, {"software.torch": "2.11.0"}, {})
    budgeted = [
        Run(device="cpu_budgeted", repeat=r, mode="estimated", seconds=100, epochs_done=1, changes=changes)
        for r, changes in enumerate(elsewhere, start=1)
    ]
    table, _ = validated(tmp_path, [*(Run(repeat=r, seconds=90) for r in (1, 2, 3)), *budgeted])
    assert table[table["kind"] == "other process"]["repeat"].tolist() == [3]
    said = capsys.readouterr().err
    assert "paper/resnet18/cpu_budgeted/1: refused: the processes differ in host (node2, node1)" in said
    assert "paper/resnet18/cpu_budgeted/2: refused: the processes differ in torch version (2.11.0, 2.14.1)" in said
