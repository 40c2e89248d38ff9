"""Kills processes of a small smoke study at random moments: the next `make run` goes on, and loses and repeats nothing.

`KILLS=60 SEED=7` in the environment change the number of kills and their moments; `make soak` does.
"""

import csv
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from base64 import urlsafe_b64encode
from pathlib import Path

import pytest

from workflow import copy_project, lineage, temporary_folder

KILLS, SEED = int(os.environ.get("KILLS", "6")), int(os.environ.get("SEED", "2026"))
SIGNALS = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT]
TARGETS = ["job", "snakemake", "attended", "make", "snakemake and make", "terminal"]
SMALL = "study: {models: [simple_cnn]}\ndatasets: {tiny: {train_images: 128, test_images: 64}}\n"  # on both devices
PATIENCE_S = 900  # for what ends in an orderly way, on a busy machine

# What another run of the same study must have in common with this one: all but times and what the machine did.
COMMON = {
    "runs": "recipe model device repeat key status mode epochs steps_done steps_total images_done parameters seed",
    "epochs": "recipe model device key repeat epoch images steps learning_rate",
    "speedup": "recipe model cpu_device gpu_device clock cpu_mode gpu_mode n_cpu n_gpu",
    "parity": "recipe model cpu_device gpu_device n_cpu n_gpu verdict",
    "breakdown": "recipe model device key status failed_repeats n steps aten_ops",
    "replication": "claim kind recipe model statement stated verdict",
}

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")


def start(folder):
    output = folder.with_name("output").open("a")
    command = ["make", "run", f"ENV={sys.prefix}", "CONFIG=config/smoke.yaml small.yaml"]
    environment = {**os.environ, "TMPDIR": str(temporary_folder(folder))}
    return subprocess.Popen(command, cwd=folder, env=environment, stdout=output, stderr=output, start_new_session=True)


def completed(folder):
    process = start(folder)
    assert process.wait(PATIENCE_S) == 0, folder.with_name("output").read_text()[-5000:]


def processes(folder):
    """Return kind and id of every living process that works in the folder."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if (entry / "cwd").readlink() == folder:
                found.append((_kind((entry / "cmdline").read_bytes()), int(entry.name)))
        except OSError:  # it has ended, or is not ours
            continue
    return found


def _kind(command):
    marks = {b"planning.attended": "attended", b".snakemake/scripts/": "job", b"snakemake": "snakemake"}
    return next((kind for mark, kind in marks.items() if mark in command), command.split(b"\0")[0].decode())


def hit(folder, make, target, number):
    """Send a signal to the target, or to the nearest living process above it, and return which kinds got it."""
    if target == "terminal":  # as Ctrl-C and a closed window do
        os.killpg(make.pid, number)
        return target
    wanted = target.split(" and ")
    living = processes(folder)
    while not any(kind in wanted for kind, _ in living) and wanted != ["make"]:
        wanted = [TARGETS[TARGETS.index(wanted[0]) + 1]]
    for kind, process in living:
        if kind in wanted:
            try:
                os.kill(process, number)
            except ProcessLookupError:
                continue
    return " and ".join(wanted)


def wait_for_the_end_of_all(folder, make):
    end = time.monotonic() + PATIENCE_S
    while make.poll() is None:
        assert time.monotonic() < end, f"make did not end: {processes(folder)}"
        time.sleep(0.1)
    end = time.monotonic() + 60
    while left := processes(folder):
        assert time.monotonic() < end, f"orphans: {left}"
        time.sleep(0.1)


def finished(folder):
    """Return the records of finished jobs with a stamp that tells whether they were written again."""
    paths = [path for path in folder.glob("results/[rb]*/**/*.json") if not path.name.endswith(".prov.json")]
    return {
        path: (path.stat().st_mtime_ns, path.stat().st_ino)
        for path in paths
        if path.with_name(f"{path.name}.prov.json").exists() and not _incomplete(folder, path)
    }


def _incomplete(folder, path):
    mark = urlsafe_b64encode(str(path.relative_to(folder)).encode()).decode()
    return (folder / ".snakemake/incomplete" / mark).exists()


def require_kept(before, after):
    again = [str(path) for path, stamp in before.items() if after.get(path) != stamp]
    assert not again, f"finished runs were lost or measured again: {again}"


def tables(folder):
    return {
        name: [[row[column] for column in columns.split()] for row in _rows(folder, name)]
        for name, columns in COMMON.items()
    }


def learnt(folder):
    return [float(row["train_loss"]) for row in _rows(folder, "epochs")]


def _rows(folder, name):
    return list(csv.DictReader((folder / f"results/tables/{name}.csv").read_text().splitlines()))


def require_whole(folder, undisturbed):
    done = lineage(folder, "verify", "results")
    assert done.returncode == 0, done.stdout
    assert [path for path in folder.glob("results/**/.*") if path.name != ".gitkeep"] == []
    assert tables(folder) == tables(undisturbed)
    assert learnt(folder) == pytest.approx(learnt(undisturbed), rel=1e-3)


def begin_again(folder):
    shutil.rmtree(folder / "results")
    shutil.rmtree(folder / ".snakemake")


def new_study(folder):
    copy_project(folder)
    (folder / "small.yaml").write_text(SMALL)
    return folder


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The finished study and the seconds that it took."""
    folder = new_study(tmp_path_factory.mktemp("undisturbed") / "project")
    started = time.monotonic()
    completed(folder)
    return folder, time.monotonic() - started


def test_whatever_is_killed_at_whatever_moment_the_next_run_completes_the_study(undisturbed, tmp_path):
    reference, duration_s = undisturbed
    folder = new_study(tmp_path / "project")
    draw, kept, kills = random.Random(SEED), {}, 0
    while kills < KILLS:
        make, wait_s = start(folder), draw.uniform(0, 0.6 * duration_s)
        target, number = draw.choice(TARGETS), draw.choice(SIGNALS)
        try:
            make.wait(wait_s)
        except subprocess.TimeoutExpired:
            got = hit(folder, make, target, number)
            kills += 1
            print(f"kill {kills} of {KILLS}, seed {SEED}: {number.name} to {got} after {wait_s:.1f} s", flush=True)
            wait_for_the_end_of_all(folder, make)
        now = finished(folder)
        require_kept(kept, now)
        kept = now
        if make.returncode == 0:
            require_whole(folder, reference)
            begin_again(folder)
            kept = {}
    completed(folder)
    require_kept(kept, finished(folder))
    require_whole(folder, reference)
    whole = finished(folder)
    completed(folder)
    assert finished(folder) == whole
