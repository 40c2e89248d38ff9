import pandas as pd
import pytest

from records import STATISTICS, Run, tables
from reporting.claim_growth import judge_slope
from reporting.pairs import Pair, Side
from reporting.statistics import StatisticsSettings, log_growth
from reporting.tables import REPLICATION_COLUMNS, read_table


def noisy(factors):
    """Runs with these speed-ups, and CPU times from 1 / (1 + spread) to 1 + spread times their mean."""
    spread = {m: [(1 + s) ** ((r - 3) / 2) for r in range(1, 6)] for m, (_, s) in factors.items()}
    return [
        Run(model=m, device=d, gpus=g, repeat=r, seconds=100 if g else 100 * ratio * spread[m][r - 1])
        for m, (ratio, _) in factors.items()
        for d, g in (("cpu", 0), ("cuda", 1))
        for r in range(1, 6)
    ]


def growth(folder, factors):
    frame = read_table(tables(folder, noisy(factors)) / "replication.csv", REPLICATION_COLUMNS)
    return frame[frame["claim"] == "growth"].iloc[0]


def test_growth_shows_the_step_that_decides_and_not_the_smallest(tmp_path):
    # 2 -> 4 is a factor of 2 with little spread, 4 -> 10 is 2.5 with so much that its interval holds 1
    row = growth(tmp_path, {"simple_cnn": (2, 0.0), "resnet18": (4, 0.01), "resnet50": (10, 2)})
    assert row["verdict"] == "inconclusive"
    assert row["reason"] == "From resnet18 to resnet50: the interval, corrected for 2 steps, holds 1."
    assert row["ours"] == pytest.approx(2.5)
    assert row["ours_low"] < 1 < row["ours_high"]


def test_one_falling_step_refutes_growth(tmp_path):
    row = growth(tmp_path, {"simple_cnn": (2, 0.01), "resnet18": (1, 0.01), "resnet50": (10, 0.01)})
    assert (row["verdict"], row["ours"]) == ("not confirmed", pytest.approx(0.5, abs=0.001))
    assert row["reason"] == "From simple_cnn to resnet18: the interval, corrected for 2 steps, lies below 1."


def test_a_step_that_falls_only_without_correction_refutes_nothing(tmp_path):
    # the step of 0.94 has a 95 % interval below 1, and one of 97.5 % (two steps) that holds 1
    cpu = [100 * 0.94 * 1.055 ** ((r - 3) / 2) for r in range(1, 6)]
    before, after = ([100.0] * 5, [100.0] * 5), (cpu, [100.0] * 5)
    assert log_growth(before, after, confidence=0.95).high < 0 < log_growth(before, after, confidence=0.975).high
    row = growth(tmp_path, {"simple_cnn": (1, 0.0), "resnet18": (0.94, 0.055), "resnet50": (10, 0.01)})
    assert row["verdict"] == "inconclusive"


def test_equal_speedups_without_spread_neither_grow_nor_fall(tmp_path):
    row = growth(tmp_path, {"simple_cnn": (3, 0.0), "resnet18": (3, 0.0), "resnet50": (3, 0.0)})
    assert row["verdict"] == "inconclusive"
    assert (row["ours"], row["ours_low"]) == (pytest.approx(1), pytest.approx(1))


def test_models_of_equal_size_have_no_slope():
    def pair(name):
        runs = pd.DataFrame({"status": ["ok"], "mode": ["measured"], "parameters": [10], "train_s": [1.0]})
        side = Side(device="cpu", runs=runs)
        return Pair(recipe="paper", model=name, cpu=side, gpu=side)

    row = judge_slope(pair("a"), pair("b"), None, StatisticsSettings(**STATISTICS))
    assert (row["verdict"], row["reason"]) == ("not testable", "a and b have equally many parameters.")
