import pytest

from records import Run, record, tables
from reporting.cost import CostSettings, cost_columns
from reporting.tables import RUN_COLUMNS, SPEEDUP_COLUMNS, read_table

PRICES = {"currency": "USD", "price_per_hour": {"cpu": 0.36, "cuda": 3.6}}
SETTINGS = CostSettings(**PRICES)


def columns(**run):
    return cost_columns(record(Run(**run)), SETTINGS)


def test_a_measured_run_costs_the_hours_of_everything_that_is_paid_for():
    row = columns(seconds=90)  # 100 s with start and evaluation
    assert (row["cost"], row["currency"]) == (pytest.approx(0.01), "USD")
    assert row["cost_basis"] == "measured: total_s"


def test_an_estimated_run_costs_start_and_projection_and_says_so():
    row = columns(mode="estimated", seconds=94, device="cuda", gpus=1)  # 6 s of start
    assert row["cost"] == pytest.approx(0.1)
    assert row["cost_basis"].startswith("estimated: ")


def test_without_a_price_there_is_no_cost_but_a_reason():
    row = cost_columns(record(Run()), CostSettings(currency=None, price_per_hour={"cpu": None}))
    assert (row["cost"], row["currency"]) == (None, None)
    assert row["cost_basis"] == "not stated: cost.price_per_hour has no price of cpu"


def test_a_run_that_failed_cost_no_trained_model():
    row = columns(status="diverged", changes={"train_s": None, "cpu_energy_j": None, "cpu_energy_reason": "not ok"})
    assert (row["cost"], row["cost_basis"]) == (None, "not stated: the run did not end well")
    assert (row["model_energy_j"], row["model_energy_basis"]) == (None, "not ok")


def test_energy_is_that_of_the_device_which_trained():
    changes = {"gpu_energy_j": 500.0, "gpu_energy_reason": None, "cpu_energy_j": 9000.0}
    assert columns(changes=changes)["model_energy_j"] == 9000
    row = columns(device="cuda", gpus=1, changes=changes)
    assert (row["model_energy_j"], row["model_energy_basis"]) == (500, "measured: all training windows")


def test_energy_of_an_estimated_run_is_projected_like_its_time():
    row = columns(mode="estimated", seconds=100)  # 30 s ran
    assert row["model_energy_j"] == pytest.approx(30_000)
    assert row["model_energy_basis"].startswith("estimated: ")


def test_energy_that_was_not_measured_keeps_its_reason():
    row = columns(device="cuda", gpus=1)
    assert (row["model_energy_j"], row["model_energy_basis"]) == (None, "not measured: the run uses no GPU")


def test_both_devices_of_a_pair_have_cost_and_energy_with_their_basis(tmp_path):
    runs = [Run(seconds=90), Run(repeat=2, seconds=190), Run(device="cuda", gpus=1, seconds=10)]
    folder = tables(tmp_path, runs, cost=PRICES)
    row = read_table(folder / "speedup.csv", SPEEDUP_COLUMNS).iloc[0]
    assert (row["cpu_cost"], row["gpu_cost"]) == (pytest.approx(0.015), pytest.approx(0.02))
    assert (row["currency"], row["cost_basis"]) == ("USD", "cpu: measured: total_s; cuda: measured: total_s")
    assert row["energy_basis"] == "cpu: measured: all training windows; cuda: not measured: the run uses no GPU"
    assert read_table(folder / "runs.csv", RUN_COLUMNS)["cost"].tolist() == pytest.approx([0.01, 0.02, 0.02])


def test_a_side_of_which_one_run_has_no_number_has_no_mean(tmp_path):
    runs = [Run(), Run(repeat=2, changes={"cpu_energy_j": None, "cpu_energy_reason": "not measured: why"})]
    row = read_table(tables(tmp_path, runs) / "speedup.csv", SPEEDUP_COLUMNS).iloc[0]
    assert row[["cpu_model_energy_j", "cpu_cost"]].isna().all()
