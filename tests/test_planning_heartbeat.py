import logging
import os
import subprocess
import sys
import time

import pytest

from configs import ROOT
from planning.heartbeat import Heartbeat

BUDGETS_S = {"cpu": 100, "cuda": None}


def event(kind, **values):
    return logging.makeLogRecord({"event": kind, **values})


def begins(log, jobid=1, device="cpu", rule="train_cpu"):
    run = {"recipe": "paper", "model": "cnn", "device": device, "repeat": "2"}
    return event("job_info", jobid=jobid, rule_name=rule, wildcards=run, log=[str(log)])


class Clock:
    seconds = 1000.0

    def __call__(self):
        return self.seconds


@pytest.fixture
def at_work(tmp_path):
    """A heartbeat that has heard of one run, 90 s ago, which wrote to its log 60 s ago; what it says, log and clock."""
    log = tmp_path / "1.log"
    log.touch()
    os.utime(log, times=(time.time() - 60,) * 2)
    said, clock = [], Clock()
    beating = Heartbeat(said.append, BUDGETS_S, clock=clock)
    beating.emit(begins(log))
    clock.seconds += 90
    return beating, said, log, clock


def test_a_silent_run_is_named_with_its_time_and_its_limit(at_work):
    beating, said, _, _ = at_work
    beating.beat()
    assert said == ["paper cnn cpu #2: still running after 90 s, at most about 100 s of training"]


def test_a_run_that_has_just_written_a_line_speaks_for_itself(at_work):
    beating, said, log, _ = at_work
    os.utime(log)
    beating.beat()
    assert said == []


def test_a_run_that_has_just_begun_is_left_alone(at_work):
    beating, said, log, _ = at_work
    beating.emit(event("job_finished", job_id=1))
    beating.emit(begins(log, jobid=2))
    beating.beat()
    assert said == []


@pytest.mark.parametrize("end", [event("job_finished", job_id=1), event("job_error", jobid=1)])
def test_a_run_that_ended_is_no_longer_named(at_work, end):
    beating, said, _, _ = at_work
    beating.emit(end)
    beating.beat()
    assert said == []


def test_a_run_without_a_budget_and_a_breakdown_have_no_limit(at_work, tmp_path):
    beating, said, _, clock = at_work
    beating.emit(event("job_finished", job_id=1))
    beating.emit(begins(tmp_path / "none.log", jobid=2, device="cuda"))
    beating.emit(begins(tmp_path / "none.log", jobid=3, rule="breakdown_cpu"))
    clock.seconds += 40
    beating.beat()
    assert said == [
        "paper cnn cuda #2: still running after 40 s",
        "breakdown paper cnn cpu #2: still running after 40 s",
    ]


def test_other_jobs_and_other_lines_of_the_log_are_not_runs(at_work):
    beating, said, _, _ = at_work
    beating.emit(event("job_finished", job_id=1))
    beating.emit(event("job_info", jobid=4, rule_name="collect", wildcards={}, log=["collect.log"]))
    beating.emit(event("progress", done=1, total=3))
    beating.emit(logging.makeLogRecord({"msg": "a line"}))
    beating.beat()
    assert said == []


WORKFLOW = """
import sys
sys.path.append({scripts!r})
from planning.heartbeat import Heartbeat

onstart:
    Heartbeat(logger.info, {{"cpu": 5}}, every_s=0.5).start(logger)

rule train_cpu:
    output: "{{recipe}}/{{model}}/{{device}}/{{repeat}}.json",
    log: "{{recipe}}/{{model}}/{{device}}/{{repeat}}.log",
    shell: "sleep 3; touch {{output}}"
"""


def test_the_engine_tells_of_its_jobs_what_the_heartbeat_needs(tmp_path):
    (tmp_path / "Snakefile").write_text(WORKFLOW.format(scripts=str(ROOT / "workflow/scripts")))
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "paper/cnn/cpu/1.json", "paper/cnn/cpu/2.json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    lines = [line for line in done.stderr.splitlines() if "still running" in line]
    assert {line.split(":")[0] for line in lines} == {"paper cnn cpu #1", "paper cnn cpu #2"}
    assert all(line.endswith(" s, at most about 5 s of training") for line in lines)
