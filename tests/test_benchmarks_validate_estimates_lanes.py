import argparse
import copy
import os
import time
from pathlib import Path

import pytest

from configs import DEFAULT, merge
from planning.check import check_config
from reporting.estimate_validation import pairs_of_devices
from validate_estimates_lanes import Lane, lanes


@pytest.fixture
def wanted(tmp_path):
    return argparse.Namespace(
        out=tmp_path, seconds=190.0, repeats=3, target=0.03, recipe="paper", images=50_000, cifar10=None
    )


def overlay(lane, wanted):
    return lane.overlay(devices=["full", "budgeted"], epochs=9, budget_s=19.0, repeats=3, wanted=wanted)


def test_a_lane_is_a_device_its_cpus_and_a_model(tmp_path):
    first, second = lanes(tmp_path, ["cpu:0-2", "cuda:3,5-7:resnet18"])
    assert first == Lane(tmp_path / "lane1", "cpu", "0-2", "simple_cnn")
    assert second == Lane(tmp_path / "lane2", "cuda", "3,5-7", "resnet18")
    assert (first.count, second.count) == (3, 4)


@pytest.mark.parametrize("name", ["cpu:0-2", "cuda:3:resnet18"])
def test_the_configuration_of_a_lane_is_valid_and_has_a_device_with_and_without_a_budget(tmp_path, wanted, name):
    (lane,) = lanes(tmp_path, [name])
    config = merge(copy.deepcopy(DEFAULT), overlay(lane, wanted))
    check_config(config)
    assert ("budgeted", "full") in pairs_of_devices(config["devices"])


def test_images_come_from_a_local_cifar10_when_one_is_named(tmp_path, wanted):
    (lane,) = lanes(tmp_path, ["cpu:0"])
    wanted.cifar10 = Path("data/cifar-10-batches-py")
    data = overlay(lane, wanted)["datasets"]["lane"]
    assert data["sources"] == ["local"]
    assert Path(data["local_path"]).is_absolute()
    check_config(merge(copy.deepcopy(DEFAULT), overlay(lane, wanted)))


def test_a_lane_is_ended_at_its_deadline(tmp_path, monkeypatch, wanted):
    taskset = tmp_path / "bin" / "taskset"
    taskset.parent.mkdir()
    taskset.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\nexec sleep 600\n")
    taskset.chmod(0o755)
    monkeypatch.setenv("PATH", f"{taskset.parent}:{os.environ['PATH']}")
    (lane,) = lanes(tmp_path, ["cpu:0"])
    assert lane.run("all", overlay(lane, wanted), deadline=time.monotonic() + 5) is False
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)
