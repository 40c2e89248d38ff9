import subprocess
import sys
import time

import pytest

from measuring.exclusive import LOCK, is_shared, machine_to_ourselves
from workflow import ROOT

LONGER_S = 0.5
HOLD = """
import sys, time
from pathlib import Path
from measuring.exclusive import machine_to_ourselves
with machine_to_ourselves(Path(sys.argv[1]), shared=sys.argv[3] == "True"):
    print("held", flush=True)
    sys.stdin.read()
    time.sleep(float(sys.argv[2]))
"""


def holder(folder, shared=False):
    """A process that holds the machine until its input ends, and a little longer."""
    command = [sys.executable, "-c", HOLD, str(folder), str(LONGER_S), str(shared)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    process = subprocess.Popen(command, cwd=ROOT / "workflow" / "scripts", **pipes)
    assert process.stdout.readline() == "held\n"
    return process


def test_a_machine_without_another_run_is_ours_at_once(tmp_path):
    lines = []
    with machine_to_ourselves(tmp_path, lines.append):
        assert lines == []  # it did not wait
    assert (tmp_path / LOCK).exists()


def test_a_second_run_says_that_it_waits_and_begins_when_the_first_ends(tmp_path):
    lines = []
    with holder(tmp_path) as first:

        def let_it_end(line):
            lines.append(line)
            first.stdin.close()

        started = time.perf_counter()
        with machine_to_ourselves(tmp_path, let_it_end) as waited_s:
            assert LONGER_S <= waited_s <= time.perf_counter() - started
            assert first.wait(timeout=60) == 0
    assert lines == ["Another timed run of this software is on this machine, started elsewhere: waiting until it ends."]


def test_a_killed_run_frees_the_machine(tmp_path):
    with holder(tmp_path) as first:
        first.kill()
        started = time.monotonic()
        with machine_to_ourselves(tmp_path):
            assert time.monotonic() - started < 60


def test_a_run_that_ends_frees_the_machine_for_the_next_one_in_the_same_process(tmp_path):
    lines = []
    for _ in range(2):
        with machine_to_ourselves(tmp_path, lines.append):
            assert lines == []  # it did not wait


def test_runs_that_share_the_machine_run_beside_each_other_and_not_beside_others(tmp_path):
    lines = []
    with holder(tmp_path, shared=True) as first:
        with machine_to_ourselves(tmp_path, lines.append, shared=True):
            assert lines == []  # it did not wait
        with machine_to_ourselves(tmp_path, lambda line: first.stdin.close()):
            assert first.wait(timeout=60) == 0


@pytest.mark.parametrize(("timing_slot", "shared"), [(0, False), (1, True), (50, True), (100, False), (200, False)])
def test_a_part_of_the_timing_slot_lets_others_beside(timing_slot, shared):
    assert is_shared(timing_slot) is shared
