import json
from pathlib import Path

import pytest

from planning.rest import device_budgets, rest


@pytest.fixture
def done(tmp_path):
    """One run of model `m` on `cuda` that took a minute."""
    record = run("cuda")
    record.parent.mkdir(parents=True)
    record.write_text(json.dumps({"started": "2026-01-01T00:00:00+00:00", "ended": "2026-01-01T00:01:00+00:00"}))
    return record


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(device, repeat=1, kind="runs", model="m"):
    return Path("results", kind, "paper", model, device, "0123456789", f"{repeat}.json")


def test_each_measurement_rests_on_the_best_that_is_known(done):
    left = [
        run("cuda", 2),  # 1 min, as repeat 1
        run("cuda", model="other"),  # 1 min, as the other model on that device
        run("cpu"),  # 2 min, its budget
        run("mps"),  # 1 min: neither a budget nor such a device before
        run("cpu", kind="breakdown"),  # 1 min: a budget is one of runs
    ]
    assert rest(left, [done], {"cpu": 120, "cuda": 3600, "mps": None}) == (
        "5 measurements left, about 6 min: 2 by the time of similar ones that are done; 1 at most, by budget_s of the "
        "device (training alone); 2 by the time of all that are done"
    )


def test_before_the_first_measurement_budgets_alone_say_something():
    assert rest([run("cpu"), run("cuda")], [], {"cpu": 120}) == (
        "2 measurements left, at least 2 min: 1 at most, by budget_s of the device (training alone); 1 of a time that "
        "is not known before the first one is done"
    )


def test_without_a_budget_and_a_measurement_no_time_is_promised():
    assert rest([run("cpu")], [], {"cpu": None}) == (
        "1 measurement left: 1 of a time that is not known before the first one is done"
    )


def test_the_budget_of_the_last_overlay_holds(tmp_path):
    (tmp_path / "config.yaml").write_text("devices: {cpu: {budget_s: 100, gpus: 0}, cuda: {budget_s: null}}\n")
    (tmp_path / "empty.yaml").write_text("# nothing\n")
    (tmp_path / "mine.yaml").write_text("devices: {cpu: {threads: 1}, cuda: {budget_s: 5}}\n")
    files = [tmp_path / f"{name}.yaml" for name in ("config", "empty", "mine")]
    assert device_budgets(files) == {"cpu": 100, "cuda": 5}
    assert device_budgets(files[:1]) == {"cpu": 100, "cuda": None}
