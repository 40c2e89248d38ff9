import json

import pytest

from estimate_replay import REFERENCE, joined, read_windows, rows_of, whole_of

(MEASURED,) = REFERENCE.glob("nvidia-h200/results/runs/paper/simple_cnn/cuda/*/1.json")
(ESTIMATED,) = REFERENCE.glob("nvidia-h200/results/runs/paper/simple_cnn/cpu/*/1.json")


def test_a_recorded_run_is_read_with_all_its_steps_and_its_own_clock():
    windows, record = read_windows(MEASURED), json.loads(MEASURED.read_text())
    assert [len(window.step_s) for window in windows] == [391] * 10
    assert sum(window.train_s for window in windows) == pytest.approx(record["train_s"])
    assert whole_of(record, windows).images == record["images_total"]


def test_a_run_that_a_budget_ended_counts_as_long_as_it_ran():
    windows, record = read_windows(ESTIMATED), json.loads(ESTIMATED.read_text())
    assert whole_of(record, windows).images == record["images_done"]
    assert joined(windows).train_s == pytest.approx(record["elapsed_train_s"])


def test_each_share_of_a_run_gives_an_estimate_of_the_whole():
    rows = list(rows_of(MEASURED))
    assert [row["time_share"] for row in rows] == [0.1, 0.2, 0.3, 0.5]
    assert [row["steps"] / 3910 for row in rows] == pytest.approx([0.1, 0.2, 0.3, 0.5], rel=0.1)
    assert all(row["covered"] for row in rows)
