from itertools import repeat

import pytest
import torch
from torch import nn

from fake_device import FakeDevice, setup
from measuring.breakdown.parts import PARTS, timer_for
from measuring.breakdown.steps import PlainStep, endless, sample_pace, sample_parts, warm_up


class Mean(nn.Module):
    """Two classes by the mean of each sample."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(1, 2)

    def forward(self, images):
        return self.layer(images.mean(dim=1, keepdim=True))


def test_a_part_holds_the_device_work_that_it_queued_and_the_next_one_does_not():
    device = FakeDevice()
    step = sample_parts(setup(device), device.timer(), 1)[0]
    assert step.host_s["forward"] == 6.0  # 2 s of launching and 4 s of waiting for the device
    assert step.host_s["backward"] == step.host_s["optimizer"] == step.host_s["other"] == 0.0
    assert device.waits == 1 + len(PARTS) + 1  # at the start and after each part; the optimizer comes twice


def test_a_slow_loader_is_data_wait_and_not_copy():
    device = FakeDevice()
    step = sample_parts(setup(device, wait_s=8.0), device.timer(), 1)[0]
    assert (step.host_s["data_wait"], step.host_s["copy"], step.step_s) == (8.0, 0.0, 14.0)


def test_a_slow_copy_is_copy_and_not_data_wait():
    device = FakeDevice()
    step = sample_parts(setup(device, copy_s=8.0), device.timer(), 1)[0]
    assert (step.host_s["data_wait"], step.host_s["copy"], step.step_s) == (0.0, 8.0, 14.0)


def test_warm_up_is_not_counted_and_there_are_as_many_samples_as_asked_for():
    device, taken = FakeDevice(), []
    steps = setup(device, taken=taken)
    warm_up(steps, 3)
    samples = sample_parts(steps, device.timer(), 4)
    assert len(taken) == 7
    assert [step.images for step in samples] == [4] * 4
    assert [step.step_s for step in samples] == [6.0] * 4  # what the warm-up left on the device is in none of them


def test_undisturbed_steps_wait_for_the_device_at_the_edges_of_the_window_only():
    device = FakeDevice()
    pace = sample_pace(setup(device), device.stopwatch(), 3)
    assert device.waits == 2
    assert pace.window_s == 3 * 2.0 + 3 * 4.0
    assert (pace.step_s, pace.step_images) == ([2.0] * 3, [4] * 3)


def test_device_events_are_read_after_the_step_and_summed_by_part():
    device = FakeDevice()
    timer = device.timer(mark=lambda: device.now + device.queued, seconds_between=lambda before, after: after - before)
    step = sample_parts(setup(device, copy_s=1.0), timer, 1)[0]
    assert step.device_s == {"data_wait": 0.0, "copy": 1.0, "forward": 6.0, "backward": 0.0, "optimizer": 0.0}


def test_the_loader_begins_again_where_an_epoch_ends():
    batches = endless([1, 2])
    assert [next(batches) for _ in range(5)] == [1, 2, 1, 2, 1]


@pytest.mark.gpu
def test_a_large_copy_to_an_accelerator_is_copy(accelerator):
    images, labels = torch.randn(4, 2**24), torch.zeros(4, dtype=torch.int64)  # 268 MB
    model = Mean().to(accelerator)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    steps = PlainStep(model=model, optimizer=optimizer, batches=repeat((images, labels)), device=accelerator)
    warm_up(steps, 2)
    (step,) = sample_parts(steps, timer_for(accelerator), 1)
    assert step.host_s["copy"] > step.step_s / 2
