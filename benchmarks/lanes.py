"""Workflow engines side by side on one machine, each with a folder, CPUs and locks of its own."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
GRACE_S = 20.0


def count_cpus(cpus: str) -> int:
    """Return how many CPUs a list names, written as for `taskset`: 0-2,5."""
    ranges = [[int(end) for end in part.split("-")] for part in cpus.split(",")]
    return sum(ends[-1] - ends[0] + 1 for ends in ranges)


def run_in_lane(folder: Path, cpus: str, configs: Sequence[Path], targets: Sequence[str], deadline: float) -> bool:
    """Make files of a study in a folder; end it at the deadline (of `time.monotonic`) and return whether all came.

    Locks of the machine and of its GPUs lie in the folder too: other lanes go on at the same time.
    """
    folder.joinpath("tmp").mkdir(parents=True, exist_ok=True)
    command = [
        *("taskset", "-c", cpus, sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")),
        *("--directory", str(folder), "--configfile", *map(str, configs)),
        *("--cores", str(count_cpus(cpus)), "--resources", "gpu=1", "--nolock", "--", *targets),
    ]
    with folder.joinpath("lane.log").open("a") as log:
        process = subprocess.Popen(
            command,
            stdout=log,
            stderr=log,
            start_new_session=True,
            env={**os.environ, "TMPDIR": str(folder / "tmp")},
        )
        try:
            return process.wait(timeout=max(0.0, deadline - time.monotonic())) == 0
        except subprocess.TimeoutExpired:
            _end(process)
            return False


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the workflow engine of a lane, which ends its run; then whatever is left of the lane."""
    process.terminate()
    try:
        process.wait(GRACE_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
