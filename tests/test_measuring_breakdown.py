import json
from dataclasses import replace
from itertools import repeat

import pytest
import torch
from torch import nn

from breakdowns import BREAKDOWN_SCHEMA
from lineage.job import UserError
from measuring import threads
from measuring.breakdown import run
from measuring.breakdown.kernels import Kernels, count_kernels, count_ops, launch_cost_s, profile_kernels
from measuring.breakdown.parts import PARTS, PartTimer, timer_for
from measuring.breakdown.run import record_breakdown
from measuring.breakdown.settings import BreakdownSettings
from measuring.breakdown.steps import PlainStep, endless, sample_pace, sample_parts, warm_up
from measuring.timing import Stopwatch
from records import SCHEMA
from reporting.records import read_schema
from runs import SETTINGS, made_images, save_images

CPU = torch.device("cpu")
BREAKDOWN = BreakdownSettings(run=SETTINGS, warm_up_steps=2, steps=3)


class FakeDevice:
    """A clock that the test moves, work that the device still has to do, and a count of how often it was awaited."""

    def __init__(self):
        self.now, self.queued, self.waits = 0.0, 0.0, 0

    def clock(self):
        return self.now

    def wait(self):
        self.waits += 1
        self.now, self.queued = self.now + self.queued, 0.0

    def timer(self, **more):
        return PartTimer(wait=self.wait, clock=self.clock, **more)

    def stopwatch(self):
        return Stopwatch(
            wait=self.wait, mark=self.clock, seconds_between=lambda before, after: after - before, clock=self.clock
        )


class Slow:
    """Images or classes of four samples whose copy takes `seconds` of a fake device."""

    def __init__(self, device, seconds, values):
        self.device, self.seconds, self.values = device, seconds, values

    def __len__(self):
        return len(self.values)

    def to(self, target):
        self.device.now += self.seconds
        return self.values


class Model(nn.Module):
    """A linear model that keeps the host busy for 2 s and queues 4 s of work on a fake device."""

    def __init__(self, device):
        super().__init__()
        self.device, self.layer = device, nn.Linear(3, 2)

    def forward(self, images):
        self.device.now += 2.0
        self.device.queued += 4.0
        return self.layer(images)


class Mean(nn.Module):
    """Two classes by the mean of each sample."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(1, 2)

    def forward(self, images):
        return self.layer(images.mean(dim=1, keepdim=True))


def setup(device, *, wait_s=0.0, copy_s=0.0, taken=None):
    """A step of 2 s on the host and 4 s on the device, with a loader and a copy as slow as asked for."""

    def batches():
        for _ in repeat(None):
            device.now += wait_s
            if taken is not None:
                taken.append(device.now)
            yield Slow(device, copy_s, torch.ones(4, 3)), Slow(device, 0.0, torch.zeros(4, dtype=torch.int64))

    model = Model(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    return PlainStep(model=model, optimizer=optimizer, batches=batches(), device=CPU)


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


def test_a_part_holds_the_device_work_that_it_queued_and_the_next_one_does_not():
    device = FakeDevice()
    step = sample_parts(setup(device), device.timer(), 1)[0]
    assert step.host_s["forward"] == 6.0  # 2 s of launching and 4 s of waiting for the device
    assert step.host_s["backward"] == step.host_s["optimizer"] == step.host_s["other"] == 0.0
    assert device.waits == 1 + len(PARTS) + 1  # at the start and after each part; the optimizer comes twice


def test_a_part_that_comes_twice_in_a_step_is_added_up_and_forgotten_in_the_next():
    device = FakeDevice()
    timer = device.timer()
    for _ in range(2):
        timer.start_step()
        for seconds in (1.0, 2.0):
            with timer.part("optimizer"):
                device.now += seconds
        assert timer.end_step(images=4).host_s["optimizer"] == 3.0


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


def test_a_cpu_has_no_device_events_and_the_parts_of_a_real_step_add_up():
    timer = timer_for(CPU)
    timer.start_step()
    with timer.part("forward"):
        torch.randn(200, 200) @ torch.randn(200, 200)
    step = timer.end_step(images=1)
    assert step.device_s is None
    assert sum(step.host_s.values()) == pytest.approx(step.step_s, rel=1e-9)


def test_the_loader_begins_again_where_an_epoch_ends():
    batches = endless([1, 2])
    assert [next(batches) for _ in range(5)] == [1, 2, 1, 2, 1]


def test_operators_are_counted_in_the_backward_pass_too():
    numbers = torch.ones(3, requires_grad=True)
    assert count_ops(lambda: numbers.detach().add_(1)) == 2
    assert count_ops(lambda: numbers.exp().sum().backward()) > count_ops(lambda: numbers.exp().sum())


def test_kernels_and_copies_of_a_trace_are_means_a_step():
    events = [
        {"cat": "kernel", "dur": 3.0},
        {"cat": "kernel", "dur": 5.0},
        {"cat": "gpu_memcpy", "dur": 10.0},
        {"cat": "cpu_op", "dur": 100.0},
        {"cat": "gpu_user_annotation", "dur": 100.0},
        {"ph": "M"},
    ]
    assert count_kernels(events, 2) == Kernels(kernels=1.0, kernel_s=4e-6, memcpy_s=5e-6)


def test_what_cannot_be_counted_is_none_with_a_reason():
    assert "saw no kernel" in count_kernels([{"cat": "cpu_op", "dur": 1.0}], 1).kernels_reason
    assert profile_kernels(lambda: None, CPU).kernels is None
    assert "type cpu" in profile_kernels(lambda: None, CPU).kernels_reason
    assert launch_cost_s(CPU) is None


@pytest.fixture
def recorded(tmp_path):
    """A function that makes a pass and returns its record, checked against its schema."""
    save_images(made_images(), tmp_path)

    def record(settings=BREAKDOWN, granted=1):
        record_breakdown(
            settings=settings,
            key="0123456789",
            code_sha256="0" * 64,
            repeat=2,
            threads_granted=granted,
            shared=False,
            data=tmp_path / "made.npz",
            checksum=tmp_path / "made.sha256",
            record=tmp_path / "2.json",
        )
        content = json.loads((tmp_path / "2.json").read_text())
        read_schema(BREAKDOWN_SCHEMA, SCHEMA).validate(content)
        return content

    return record


def test_a_pass_on_a_cpu_records_every_sample_and_no_kernels(recorded):
    record = recorded()
    assert (record["status"], record["seed"], record["parameters"]) == ("ok", 3, 505_058)
    assert [sample["images"] for sample in record["samples"]] == [10] * 3
    assert record["samples"][0]["backward_s"] > 0
    assert record["pace"] is record["kernels"] is record["launch_s"] is None
    assert record["aten_ops"] > 33
    assert record["settings"]["breakdown"] == {"warm_up_steps": 2, "steps": 3}


def test_a_pass_tells_what_else_happened_while_its_steps_were_sampled(recorded):
    record = recorded()
    assert record["window_s"] >= sum(sample["step_s"] for sample in record["samples"])
    assert record["surroundings"]["cpu_share"] > 0
    assert record["surroundings"]["gpu_other_processes"] is None


RESIDENT = replace(SETTINGS.recipe, input_pipeline="resident", fused_optimizer=True, memory_format="channels_last")


def with_recipe(recipe, **device):
    return replace(BREAKDOWN, run=replace(SETTINGS, recipe=recipe, device=replace(SETTINGS.device, **device)))


def test_a_resident_step_is_taken_apart_and_copies_nothing(recorded):
    record = recorded(replace(with_recipe(RESIDENT), warm_up_steps=9))
    assert [sample["images"] for sample in record["samples"]] == [10, 5, 10]
    assert all(sample["copy_s"] == 0 for sample in record["samples"])
    assert all(sample[f"{part}_s"] > 0 for sample in record["samples"] for part in PARTS if part != "copy")
    assert record["parts_reason"] is None
    assert record["active"]["fused_optimizer"] == {"active": True, "reason": None}


@pytest.mark.gpu
def test_a_captured_step_is_not_taken_apart_but_its_kernels_are_counted(recorded, accelerator):
    recipe = replace(RESIDENT, graph="cuda_graph", compile="inductor")
    record = recorded(replace(with_recipe(recipe, type=accelerator.type, gpus=1), steps=20))
    assert (record["status"], record["samples"], record["aten_ops"]) == ("ok", [], None)
    assert record["parts_reason"] == "not taken apart: the whole step is one graph"
    assert len(record["pace"]["step_s"]) == 20
    assert 10 < record["kernels"] < 200
    assert 0 < record["kernel_s"] < 1.5 * record["pace"]["window_s"] / 20


def test_the_last_smaller_batch_of_an_epoch_is_seen_in_its_sample(recorded):
    record = recorded(replace(BREAKDOWN, warm_up_steps=9))  # of 11 steps an epoch, the last of 5 images
    assert [sample["images"] for sample in record["samples"]] == [10, 5, 10]


def test_too_few_threads_are_a_refused_record(recorded, monkeypatch):
    monkeypatch.setattr(threads, "available_cpus", lambda: 4)
    device = replace(SETTINGS.device, threads=3)
    record = recorded(replace(BREAKDOWN, run=replace(SETTINGS, device=device)))
    assert (record["status"], record["samples"]) == ("refused", [])
    assert "the scheduler granted 1" in record["status_reason"]


def test_a_pass_out_of_memory_is_a_record_without_samples(recorded, monkeypatch):
    def full(step):
        raise RuntimeError("CUDA error: out of memory")

    monkeypatch.setattr(run, "count_ops", full)
    record = recorded()
    assert (record["status"], record["samples"]) == ("oom", [])


def test_a_missing_accelerator_is_one_sentence_and_no_record(recorded, tmp_path):
    device = replace(SETTINGS.device, type="xpu", gpus=1)
    with pytest.raises(UserError, match="device type 'xpu' was asked for"):
        recorded(replace(BREAKDOWN, run=replace(SETTINGS, device=device)))
    assert not (tmp_path / "2.json").exists()


def test_settings_survive_their_json():
    assert BreakdownSettings.from_json(BREAKDOWN.to_json()) == BREAKDOWN


@pytest.mark.gpu
def test_a_pass_on_an_accelerator_has_pace_events_and_kernels(recorded, accelerator):
    device = replace(SETTINGS.device, type=accelerator.type, gpus=1)
    record = recorded(replace(BREAKDOWN, run=replace(SETTINGS, device=device), warm_up_steps=5, steps=20))
    total = {part: sum(sample[f"{part}_s"] for sample in record["samples"]) for part in ("step", *PARTS)}
    assert record["status"] == "ok"
    assert len(record["pace"]["step_s"]) == len(record["samples"]) == 20
    assert sum(record["pace"]["step_s"]) == pytest.approx(record["pace"]["window_s"], rel=0.2)
    assert all(total[part] > 0 for part in PARTS)
    assert record["launch_s"] < 1e-3
    for part in PARTS:
        on_device = sum(sample["device_s"][part] for sample in record["samples"])
        assert on_device <= total[part] * 1.05  # events lie within the host's edges
    if accelerator.type == "cuda":
        assert record["kernels_reason"] is None
        assert 20 < record["kernels"] < 500
        assert record["kernel_s"] < total["step"] / 20


@pytest.mark.gpu
def test_a_large_copy_to_an_accelerator_is_copy(accelerator):
    images, labels = torch.randn(4, 2**24), torch.zeros(4, dtype=torch.int64)  # 268 MB
    model = Mean().to(accelerator)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    steps = PlainStep(model=model, optimizer=optimizer, batches=repeat((images, labels)), device=accelerator)
    warm_up(steps, 2)
    (step,) = sample_parts(steps, timer_for(accelerator), 1)
    assert step.host_s["copy"] > step.step_s / 2
