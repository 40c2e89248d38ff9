"""Several GPUs on one machine, as a driver that is none lists them."""

import json
import os
from itertools import pairwise

import pytest

from workflow import copy_project, snakemake

LISTING = """#!/bin/sh
echo 'GPU 0: Some GPU (UUID: GPU-aaaa)'
echo 'GPU 1: Some GPU (UUID: GPU-bbbb)'
"""
FOUR_RUNS = {
    "study": {"models": ["simple_cnn"], "devices": ["cpu_as_gpu"], "repeats": 4},
    "devices": {"cpu_as_gpu": {"threads": 1}},
    "datasets": {"tiny": {"train_images": 256, "test_images": 128}},
}


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    """Records of four runs that hold a GPU each, two at a time on a machine that they share."""
    folder = copy_project(tmp_path_factory.mktemp("gpus"))
    programs = tmp_path_factory.mktemp("programs")
    (programs / "nvidia-smi").write_text(LISTING)
    (programs / "nvidia-smi").chmod(0o755)
    sharing = ["--resources", "gpu=2", "--set-resources", "train_gpu:timing_slot=50", "--until", "train_gpu"]
    path = f"{programs}:{os.environ['PATH']}"
    done = snakemake(folder, *sharing, overlay=FOUR_RUNS, PATH=path)
    assert done.returncode == 0, done.stderr[-5000:]
    return [json.loads((path).read_text()) for path in folder.glob("results/runs/**/[1-4].json")]


def test_each_run_is_let_see_one_gpu_and_the_record_says_which(records):
    assert len(records) == 4
    assert {record["machine"]["cuda_visible_devices"] for record in records} == {"GPU-aaaa", "GPU-bbbb"}


def test_no_two_runs_have_a_gpu_at_the_same_time(records):
    for uuid in ("GPU-aaaa", "GPU-bbbb"):
        own = [record for record in records if record["machine"]["cuda_visible_devices"] == uuid]
        spans = sorted((record["started"], record["ended"]) for record in own)
        assert all(before[1] <= after[0] for before, after in pairwise(spans))


def test_runs_that_share_the_machine_overlap_and_say_so(records):
    spans = sorted((record["started"], record["ended"]) for record in records)
    assert any(before[1] > after[0] for before, after in pairwise(spans))
    assert all(record["machine"]["shared"] for record in records)
