"""A disturber beside a short training on a CPU. What is compared is what others used, for no machine is quite quiet."""

import json
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import replace

import pytest
import torch

from measuring.budget import Budget
from measuring.cores import affinity
from measuring.observer import Observer
from measuring.timing import stopwatch_for
from measuring.training import train
from records import QUIET
from reporting.quiet import Host, QuietSettings, disturbances
from runs import RECIPE, built_loop, made_images

CPU = torch.device("cpu")
IMAGES = made_images(train=1000)


def rows(epochs):
    """The windows of a training of as many epochs, as rows of the epoch table."""
    observer = Observer(device_type="cpu", threads=torch.get_num_threads(), gpu=None)
    recipe = replace(RECIPE, batch_size=50, epochs=epochs)
    trained = train(
        loop=built_loop(recipe, images=IMAGES),
        recipe=recipe,
        budget=Budget.endless(),
        new_stopwatch=lambda: stopwatch_for(CPU),
        observer=observer,
    )
    return [{"train_s": epoch.train_s} | vars(epoch.observation.surroundings) for epoch in trained]


@pytest.fixture
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def disturb():
    """A context with a busy loop for each CPU that this process may use."""

    @contextmanager
    def running():
        loop = [sys.executable, "-c", "print(flush=True)\nwhile True: pass"]
        started = [subprocess.Popen(loop, stdout=subprocess.PIPE) for _ in affinity()]
        try:
            for process in started:
                process.stdout.readline()
            yield
        finally:
            for process in started:
                process.kill()
                process.communicate()

    return running


def test_a_busy_loop_on_every_cpu_is_caught(one_thread, disturb):
    alone = rows(2)
    if alone[0]["other_cpu_s"] is None:
        pytest.skip("this system does not show the CPU time of others")
    with disturb():
        beside = rows(2)
    alone += rows(2)
    host = Host(threads=1, affinity_cpus=len(affinity()))
    settings = QuietSettings.from_json(json.dumps(QUIET))
    for window in beside:
        assert any(reason.startswith("other_cpu_share") for reason in disturbances(window, host, settings))
    shares = [[row["other_cpu_s"] / row["train_s"] / len(affinity()) for row in part] for part in (alone, beside)]
    assert min(shares[1]) > 0.3  # a loop on each CPU and our thread: we get a share of one CPU only
    assert min(shares[0]) < min(shares[1])
    assert sum(row["involuntary_switches"] for row in beside) > 0


def test_a_window_knows_its_own_share_of_the_cpu(one_thread):
    (window,) = rows(1)
    assert 0 < window["cpu_share"] < 1.5
