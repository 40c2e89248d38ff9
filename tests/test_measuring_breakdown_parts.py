import pytest
import torch

from fake_device import FakeDevice
from measuring.breakdown.parts import PARTS, timer_for

CPU = torch.device("cpu")


def test_the_parts_add_up_to_the_step_and_the_rest_is_other():
    device = FakeDevice()
    timer = device.timer()
    timer.start_step()
    for name, seconds in zip(PARTS, (1.0, 2.0, 4.0, 8.0, 16.0), strict=True):
        with timer.part(name):
            device.now += seconds
    device.now += 32.0
    step = timer.end_step(images=4)
    expected = {"data_wait": 1.0, "copy": 2.0, "forward": 4.0, "backward": 8.0, "optimizer": 16.0, "other": 32.0}
    assert step.host_s == expected
    assert step.step_s == sum(step.host_s.values()) == 63.0


def test_a_part_that_comes_twice_in_a_step_is_added_up_and_forgotten_in_the_next():
    device = FakeDevice()
    timer = device.timer()
    for _ in range(2):
        timer.start_step()
        for seconds in (1.0, 2.0):
            with timer.part("optimizer"):
                device.now += seconds
        assert timer.end_step(images=4).host_s["optimizer"] == 3.0


def test_a_cpu_has_no_device_events_and_the_parts_of_a_real_step_add_up():
    timer = timer_for(CPU)
    timer.start_step()
    with timer.part("forward"):
        torch.randn(200, 200) @ torch.randn(200, 200)
    step = timer.end_step(images=1)
    assert step.device_s is None
    assert sum(step.host_s.values()) == pytest.approx(step.step_s, rel=1e-9)
