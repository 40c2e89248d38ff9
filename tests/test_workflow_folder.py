"""Two runs of the workflow in one folder, and one that is killed."""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from workflow import copy_project, make, snakemake, temporary_folder

LONG = {
    "study": {"models": ["simple_cnn"], "devices": ["cpu"]},
    "devices": {"cpu": {"budget_s": 3600, "target_half_width": None}},
    "recipes": {"smoke": {"epochs": 100_000}},
    "datasets": {"tiny": {"train_images": 128, "test_images": 32}},
}
CONFIGS = ["config/smoke.yaml", "overlay.yaml"]


def trainers(folder):
    """Return the process ids of the training processes of a folder."""
    done = subprocess.run(["ps", "-ww", "-eo", "pid,args"], capture_output=True, text=True, check=True)
    found = [line.split()[0] for line in done.stdout.splitlines() if f"{folder}/.snakemake/scripts/" in line]
    return [int(process) for process in found]


def wait_until(condition, seconds=240):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "did not happen"
        time.sleep(0.1)


def training(folder):
    return any("epoch 2/100000" in log.read_text() for log in folder.glob("results/logs/runs/**/1.log"))


@pytest.fixture
def at_work(tmp_path):
    """A folder in which Snakemake, started by hand, trains for an hour unless it is killed."""
    folder = copy_project(tmp_path / "project")
    (folder / "overlay.yaml").write_text(yaml.safe_dump(LONG))
    command = [sys.executable, "-m", "snakemake", "--cores", "all", "--configfile", *CONFIGS, "--", "all"]
    environment = {**os.environ, "TMPDIR": str(temporary_folder(folder))}
    with (tmp_path / "output").open("w") as output:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=output, stderr=output)
    try:
        wait_until(lambda: training(folder) or process.poll() is not None)
        assert process.returncode is None, (tmp_path / "output").read_text()
        yield folder, process
    finally:
        process.kill()
        process.wait()


def wakes(process):
    """How often the main thread of a process has gone to sleep so far."""
    status = Path(f"/proc/{process.pid}/task/{process.pid}/status").read_text()
    return int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)$", status, re.MULTILINE)[1])


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_engine_sleeps_while_a_run_is_timed_and_another_one_waits(at_work):
    _, process = at_work
    before = wakes(process)
    time.sleep(4)
    assert wakes(process) == before


def test_a_folder_at_work_is_left_alone_and_a_killed_run_leaves_neither_trainer_nor_lock(at_work):
    folder, process = at_work
    refusal = f"Another run is at work in {folder} (process {process.pid} on "
    locks = sorted(path.name for path in folder.glob(".snakemake/locks/*"))

    by_make = make(folder, "run", *CONFIGS)
    assert by_make.returncode != 0 and refusal in by_make.stderr
    assert sorted(path.name for path in folder.glob(".snakemake/locks/*")) == locks != []

    status = make(folder, "status", *CONFIGS)
    assert status.returncode == 0, status.stderr
    assert status.stdout.startswith("runs: 0 of 1 done, 1 running\nbreakdowns: 0 of 1 done, 1 missing\n")
    assert "at work: smoke simple_cnn cpu #1\n" in status.stdout
    assert "2 measurements left, at least 60 min: 1 at most, by budget_s of the device" in status.stdout

    shutil.rmtree(folder / ".snakemake/locks")  # as a call with nothing to do may, beside another one
    by_hand = snakemake(folder, "all", overlay=LONG)
    assert by_hand.returncode != 0 and refusal in by_hand.stdout + by_hand.stderr
    assert "Traceback" not in by_hand.stdout + by_hand.stderr

    assert snakemake(folder, "-n", "all", overlay=LONG).returncode == 0
    assert len(trainers(folder)) == 1
    process.kill()
    wait_until(lambda: trainers(folder) == [], seconds=60)
    assert make(folder, "data", *CONFIGS).returncode == 0
