import time

import pytest
import torch

from measuring.timing import Stopwatch, stopwatch_for


class FakeDevice:
    """A clock that the test moves, and a log of what the stopwatch asked for."""

    def __init__(self):
        self.now, self.calls = 0.0, []

    def clock(self):
        self.calls.append("clock")
        return self.now

    def wait(self):
        self.calls.append("wait")
        self.now += 10.0  # the device still had ten seconds of work

    def mark(self):
        self.calls.append("mark")
        return self.now

    def stopwatch(self):
        return Stopwatch(
            wait=self.wait, mark=self.mark, seconds_between=lambda before, after: after - before, clock=self.clock
        )


def test_the_window_opens_after_the_device_is_idle_and_closes_after_it_has_finished():
    device = FakeDevice()
    watch = device.stopwatch()
    watch.start()
    device.now += 2.0
    watch.lap()
    watch.stop()
    assert device.calls == ["wait", "clock", "mark", "mark", "mark", "wait", "clock"]
    assert watch.window_s == 12.0  # 2 s of launching and 10 s of waiting; the wait before the start is outside


def test_there_are_as_many_samples_as_steps_and_they_add_up():
    device = FakeDevice()
    watch = device.stopwatch()
    watch.start()
    for seconds in (1.0, 2.0, 4.0):
        device.now += seconds
        watch.lap()
    watch.stop()
    assert watch.step_s() == [1.0, 2.0, 4.0]


def test_a_step_costs_one_mark_and_no_wait():
    device = FakeDevice()
    watch = device.stopwatch()
    watch.start()
    device.calls.clear()
    watch.lap()
    assert device.calls == ["mark"]


def test_the_devices_own_time_runs_from_the_first_mark_to_the_one_that_ends_all_work():
    device = FakeDevice()
    watch = device.stopwatch()
    watch.start()
    device.now += 2.0
    watch.lap()
    device.now += 0.5
    watch.stop()
    assert (watch.step_s(), watch.events_s()) == ([2.0], 2.5)


def test_elapsed_time_does_not_wait_for_the_device():
    device = FakeDevice()
    watch = device.stopwatch()
    watch.start()
    device.now += 3.0
    assert watch.elapsed_s() == 3.0


def test_a_second_window_forgets_the_first():
    device = FakeDevice()
    watch = device.stopwatch()
    for _ in range(2):
        watch.start()
        device.now += 1.0
        watch.lap()
        watch.stop()
    assert watch.step_s() == [1.0]


def test_on_a_cpu_the_steps_add_up_to_the_window():
    """By the time that this thread computes: the system may stop it for any time between two readings."""
    watch = stopwatch_for(torch.device("cpu"), clock=time.thread_time)
    watch.start()
    for _ in range(5):
        torch.randn(200, 200) @ torch.randn(200, 200)
        watch.lap()
    watch.stop()
    assert sum(watch.step_s()) == pytest.approx(watch.window_s, abs=1e-3)
    assert watch.events_s() == pytest.approx(watch.window_s, abs=1e-3)


@pytest.mark.gpu
def test_device_events_and_the_host_clock_agree_on_a_long_kernel(accelerator):
    matrix = torch.randn(8192, 8192, device=accelerator)
    matrix @ matrix
    watch = stopwatch_for(accelerator)
    watch.start()
    for _ in range(20):
        matrix @ matrix
        watch.lap()
    watch.stop()
    assert sum(watch.step_s()) == pytest.approx(watch.window_s, rel=0.05)
