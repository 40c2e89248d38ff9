import os
import subprocess
import sys
import time
from itertools import pairwise

import pytest

from measuring.lease import VISIBLE, leased_gpu, lock_name
from measuring.visible_gpus import Gpu
from workflow import ROOT

TWO = [Gpu("GPU-a", index="0"), Gpu("GPU-b", index="1")]
RUN = """
import os, sys, time
from pathlib import Path
from measuring.lease import leased_gpu
from measuring.visible_gpus import Gpu
listed = [Gpu("GPU-a", index="0"), Gpu("GPU-b", index="1")]
with leased_gpu(1, Path(sys.argv[1]), list_all=lambda: listed):
    assert "torch" not in sys.modules
    started = time.monotonic()
    print("held", os.environ["CUDA_VISIBLE_DEVICES"], flush=True)
    sys.stdin.read()
    time.sleep(float(sys.argv[2]))
    print(started, time.monotonic(), flush=True)
"""


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch):
    monkeypatch.delenv(VISIBLE, raising=False)


def run(folder, longer_s=0.0):
    """A process that holds a GPU until its input ends, and a little longer."""
    command = [sys.executable, "-c", RUN, str(folder), str(longer_s)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, cwd=ROOT / "workflow/scripts", **pipes)


def lease(folder, write=print, gpus=1, listed=TWO):
    return leased_gpu(gpus, folder, write, lambda: listed)


def test_six_runs_on_two_gpus_never_share_one(tmp_path):
    spans = {}
    first = [run(tmp_path, 0.3) for _ in range(2)]
    held = [process.stdout.readline() for process in first]  # both are at work, so the next ones have to wait
    processes = [*first, *(run(tmp_path, 0.3) for _ in range(4))]
    for process in processes:
        process.stdin.close()
    for process, line in zip(processes, [*held, *[""] * 4], strict=True):
        with process:
            held, times = (line + process.stdout.read()).splitlines()
        spans.setdefault(held.split()[1], []).append(tuple(map(float, times.split())))
    assert set(spans) == {"GPU-a", "GPU-b"}
    for each in map(sorted, spans.values()):
        assert all(before[1] <= after[0] for before, after in pairwise(each))


def test_a_killed_run_frees_its_gpu(tmp_path):
    with run(tmp_path) as first, run(tmp_path) as second:
        held = {process.stdout.readline().split()[1]: process for process in (first, second)}
        lines = []
        held["GPU-b"].kill()
        started = time.monotonic()
        with lease(tmp_path, lines.append):
            assert os.environ[VISIBLE] == "GPU-b"
            assert time.monotonic() - started < 60
        held["GPU-a"].kill()


def test_a_run_that_waits_says_so_once_and_knows_how_long(tmp_path):
    lines = []
    with run(tmp_path, 0.5) as first:
        assert first.stdout.readline() == "held GPU-a\n"

        def let_it_end(line):
            lines.append(line)
            first.stdin.close()

        started = time.perf_counter()
        with lease(tmp_path, let_it_end, listed=TWO[:1]) as seconds:
            assert 0.5 <= seconds <= time.perf_counter() - started
    assert lines == ["Other runs hold the 1 GPUs that this one may use: waiting until one is free."]


def test_the_setting_bounds_the_choice_and_is_put_back(tmp_path, monkeypatch):
    monkeypatch.setenv(VISIBLE, "1")
    with lease(tmp_path):
        assert os.environ[VISIBLE] == "GPU-b"
    assert os.environ[VISIBLE] == "1"


def test_a_run_without_a_gpu_or_a_machine_without_one_leases_nothing(tmp_path, monkeypatch):
    with lease(tmp_path, gpus=0) as seconds:
        assert VISIBLE not in os.environ and seconds == 0
    with lease(tmp_path, listed=[]):
        assert VISIBLE not in os.environ
    monkeypatch.setenv(VISIBLE, "")
    with lease(tmp_path):
        assert os.environ[VISIBLE] == ""
    assert list(tmp_path.iterdir()) == []


def test_two_leases_in_turn_get_the_same_gpu(tmp_path):
    for _ in range(2):
        with lease(tmp_path):
            assert os.environ[VISIBLE] == "GPU-a"
    assert (tmp_path / lock_name(TWO[0])).exists()


def test_the_old_name_of_a_slice_makes_a_file_name():
    assert lock_name(Gpu("MIG-GPU-1/2/0")) == "gpu-training-speedup.MIG-GPU-1_2_0.lock"
