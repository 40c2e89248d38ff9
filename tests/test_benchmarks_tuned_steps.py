import argparse
import csv
import math
import sys
from contextlib import contextmanager

import pytest
import torch
import tuned_steps
from tuned_steps import COLUMNS, paired_ratio, rows_of

from configs import ROOT
from recipe_contender import occasion

TABLES = ("peers_2_cores.csv", "peers_h200.csv", "tuned_steps_h200.csv", "tuned_steps_h200_host_cpu.csv")


class FakeContender:
    """Answers a turn of 30 steps in 1.5 seconds."""

    def __init__(self, name="tuned"):
        self.name = name

    def ready(self):
        return {}

    def ask(self, word):
        return {"train_s": 1.5, "steps": 30, "eval_s": None} if word == "turn" else {}

    def leave(self):
        pass


def test_the_ratio_of_rounds_is_free_of_what_drifts_between_them():
    ratio, low, high = paired_ratio([2.0, 20.0, 200.0], [1.0, 10.0, 100.0])
    assert (ratio, low, high) == pytest.approx((2.0, 2.0, 2.0))


def test_the_interval_of_two_rounds_is_students():
    # logs 0 and log 4: mean log 2, standard error log 2, t(0.975, 1) = 12.706
    ratio, low, high = paired_ratio([1.0, 4.0], [1.0, 1.0])
    assert ratio == pytest.approx(2)
    assert math.log(high / low) == pytest.approx(2 * 12.7062 * math.log(2), rel=1e-4)


def test_one_round_has_no_interval():
    assert paired_ratio([3.0], [2.0]) == (pytest.approx(1.5), None, None)


def test_a_row_says_of_how_many_steps_a_turn_was_and_where_it_comes_from():
    about = {"tuned": {"threads": 2, **occasion(torch.device("cpu"))}}
    (row,) = rows_of("resnet18", [FakeContender()], about, argparse.Namespace(device="cpu", epochs=2))
    assert (row["steps"], row["epochs"], row["step_ms"]) == (30, 2, pytest.approx(50))
    assert row["torch"] == torch.__version__ and row["cpu_name"] == row["machine"] and row["driver"] is None
    assert set(row) <= set(COLUMNS)


def test_without_the_first_variant_there_is_no_ratio_to_it():
    about = {"tuned": {"absent": "ended with exit status 1, see above"}, "timm": {}, "lightning": {}}
    contenders = [FakeContender(name) for name in about]
    rows = rows_of("resnet18", contenders, about, argparse.Namespace(device="cpu", epochs=2))
    assert [(row["variant"], row.get("step_ms"), row.get("ratio")) for row in rows] == [
        ("tuned", None, None),
        ("timm", pytest.approx(50), None),
        ("lightning", pytest.approx(50), None),
    ]


def test_no_contender_is_started_beside_another_timed_run(tmp_path, monkeypatch):
    order = []

    @contextmanager
    def alone():
        order.append("alone")
        yield
        order.append("no more")

    def start(model, arguments):
        order.append("started")
        return [FakeContender()]

    monkeypatch.setattr(tuned_steps, "machine_to_ourselves", alone)
    monkeypatch.setattr(tuned_steps, "start", start)
    monkeypatch.setattr(sys, "argv", ["tuned_steps.py", "--models", "resnet18", "--output", str(tmp_path / "out.csv")])
    tuned_steps.main()
    assert order == ["alone", "started", "no more"]


def test_the_commit_of_a_row_says_whether_files_differed_from_it(monkeypatch):
    states = iter([{"commit": "c0ffee", "dirty": False}, {"commit": "c0ffee", "dirty": True}, None])
    monkeypatch.setattr("recipe_contender.git_state", lambda folder: next(states))
    found = [occasion(torch.device("cpu"))["commit"] for _ in range(3)]
    assert found == ["c0ffee", "c0ffee-dirty", None]


@pytest.mark.parametrize("name", TABLES)
def test_the_steps_of_a_committed_row_fit_its_times(name):
    # The clock counts whole nanoseconds, so a single turn's step times its number of steps is a whole number of them.
    with (ROOT / "benchmarks" / name).open(encoding="utf-8", newline="") as file:
        present = [row for row in csv.DictReader(file) if not row["absent"]]  # a peer that failed has no times
        assert len(present) >= 3
        for row in present:
            for column in ("step_ms_fastest", "step_ms_slowest"):
                turn_ns = float(row[column]) * 1e6 * int(row["steps"])
                assert turn_ns == pytest.approx(round(turn_ns), rel=0, abs=0.01), (row["model"], row["variant"])
