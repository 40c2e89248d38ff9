import json
from pathlib import Path

import pytest

from lineage.logs import copied_to
from planning.status import log_of, read_summary, report

HEADER = "output_file\tdate\trule\tlog-file(s)\tstatus\tplan"
RUN = "results/runs/paper/{}/{}/0123456789/{}"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def row(path, status="ok", plan="no update"):
    return f"{path}\t-\tsome_rule\t-\t{status}\t{plan}"


def missing(path):
    return row(path, "missing", "update pending")


def stand(*rows, budgets_s=None):
    return report(read_summary([HEADER, *rows]), budgets_s or {}).splitlines()


def record(folder, path, minutes=1, status="ok"):
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    times = {"started": "2026-01-01T00:00:00+00:00", "ended": f"2026-01-01T00:{minutes:02}:00+00:00"}
    file.write_text(json.dumps({"status": status, **times}))
    return row(path)


def test_files_are_counted_by_kind_and_a_run_by_its_record(here):
    done = record(here, RUN.format("m", "cpu", "1.json"), 1)
    lines = stand(
        done,
        row(RUN.format("m", "cpu", "1.csv")),
        missing(RUN.format("m", "cuda", "1.json")),
        missing(RUN.format("m", "cuda", "1.csv")),
        row("results/tables/runs.csv", "set of params changed", "update pending"),
        row("results/figures/speedup.svg"),
    )
    assert lines[:3] == ["runs: 1 of 2 done, 1 missing", "tables: 0 of 1 done, 1 stale", "figures: 1 of 1 done"]


def test_the_rest_takes_as_long_as_what_is_most_alike(here):
    lines = stand(
        record(here, RUN.format("small", "cpu", "1.json"), 2),
        record(here, RUN.format("large", "cpu", "1.json"), 20),
        record(here, RUN.format("small", "cuda", "1.json"), 1),
        missing(RUN.format("large", "cpu", "2.json")),  # 20 min, as repeat 1
        missing(RUN.format("large", "cuda", "1.json")),  # 1 min, as the other run on that device
    )
    assert lines[-1] == "2 measurements left, about 21 min: 2 by the time of similar ones that are done"


def test_a_run_whose_job_is_writing_its_log_is_at_work(here):
    path = RUN.format("m", "cpu", "1.json")
    log = log_of(Path(path))
    with copied_to(log):
        lines = stand(missing(path))
    assert lines[:2] == ["runs: 0 of 1 done, 1 running", "at work: paper m cpu #1"]
    assert stand(missing(path))[0] == "runs: 0 of 1 done, 1 missing"  # it ended, without a record


def test_before_the_first_measurement_no_time_is_promised():
    assert stand(missing(RUN.format("m", "cpu", "1.json")))[-1] == (
        "1 measurement left: 1 of a time that is not known before the first one is done"
    )


def test_a_budget_says_at_most_how_long_a_run_takes():
    lines = stand(missing(RUN.format("m", "cpu", "1.json")), budgets_s={"cpu": 120})
    assert lines[-1] == "1 measurement left, about 2 min: 1 at most, by budget_s of the device (training alone)"


def test_a_finished_study_has_nothing_left(here):
    assert stand(record(here, RUN.format("m", "cpu", "1.json"), 1))[-1] == "nothing is left to measure"


def test_a_run_that_did_not_end_well_is_done_but_not_hidden(here):
    lines = stand(
        record(here, RUN.format("m", "cpu", "1.json")),
        record(here, RUN.format("m", "cuda", "1.json"), status="refused"),
        record(here, RUN.format("m", "cuda", "1.json").replace("/runs/", "/breakdown/"), status="ok"),
    )
    assert lines[:2] == ["runs: 2 of 2 done, 1 of them refused (make retry)", "breakdowns: 1 of 1 done"]


def test_each_way_not_to_end_well_is_counted_before_what_is_left(here):
    endings = enumerate(["refused", "oom", "oom", "diverged"], start=1)
    rows = [record(here, RUN.format("m", "cpu", f"{repeat}.json"), status=status) for repeat, status in endings]
    assert stand(*rows, missing(RUN.format("m", "cpu", "5.json")))[0] == (
        "runs: 4 of 5 done, 1 of them diverged and 2 oom and 1 refused (make retry), 1 missing"
    )


@pytest.mark.parametrize("content", ["", '{"status": "ok"', "{}"])
def test_a_record_that_cannot_be_read_is_damaged(here, content):
    path = RUN.format("m", "cpu", "1.json")
    line = record(here, path)
    (here / path).write_text(content)
    assert stand(line)[0] == "runs: 1 of 1 done, 1 of them damaged (make retry)"


def test_a_stale_record_runs_again_anyway(here):
    path = RUN.format("m", "cpu", "1.json")
    record(here, path, status="oom")
    assert stand(row(path, plan="update pending"))[0] == "runs: 0 of 1 done, 1 stale"
