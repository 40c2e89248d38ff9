"""The order in which timed runs really start, in whole studies of a few seconds."""

import json
from itertools import product

import pytest

from planning.order import start_priority
from workflow import copy_project, snakemake

DEVICES, REPEATS = ["cpu", "cpu_as_gpu"], 2
SEEDS = (1, 2)  # their draws differ in both repeats


def drawn(seed):
    """The order that the seed draws, as (device, repeat)."""
    jobs = product(DEVICES, range(1, REPEATS + 1))
    return sorted(
        jobs,
        key=lambda job: start_priority(seed=seed, repeat=job[1], repeats=REPEATS, run=f"smoke/simple_cnn/{job[0]}"),
        reverse=True,
    )


def study(seed):
    return {
        "study": {"models": ["simple_cnn"], "devices": DEVICES, "repeats": REPEATS, "seed": seed},
        "datasets": {"tiny": {"train_images": 160, "test_images": 10}},
        "recipes": {"smoke": {"epochs": 1, "batch_size": 16}},
    }


def test_two_seeds_draw_two_orders_that_take_the_devices_in_turn():
    first, second = (drawn(seed) for seed in SEEDS)
    assert first != second
    assert [repeat for _, repeat in first] == [repeat for _, repeat in second] == [1, 1, 2, 2]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_runs_start_in_the_order_that_the_seed_drew(tmp_path, seed):
    folder = copy_project(tmp_path / "project")
    done = snakemake(folder, "--", "results/tables/runs.csv", overlay=study(seed))
    assert done.returncode == 0, done.stderr[-3000:]
    paths = folder.glob("results/runs/**/[12].json")
    records = sorted((json.loads(path.read_text()) for path in paths), key=lambda record: record["started"])
    assert len({record["started"] for record in records}) == len(DEVICES) * REPEATS
    assert [(record["device"], record["repeat"]) for record in records] == drawn(seed)
