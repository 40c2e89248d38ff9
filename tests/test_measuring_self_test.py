import pytest
import torch

from measuring import self_test as module
from measuring.refusal import RefusedError
from measuring.self_test import Readings, check_stopwatch, self_test
from measuring.timing import Stopwatch, stopwatch_for

LAUNCH_S, KERNEL_S = 1e-5, 1e-3


class AsynchronousDevice:
    """A device that works off a queue while the host is ahead of it, on a clock of its own."""

    def __init__(self):
        self.now = self.busy_until = 0.0

    def launch(self):
        self.now += LAUNCH_S
        self.busy_until = max(self.now, self.busy_until) + KERNEL_S

    def wait(self):
        self.now = max(self.now, self.busy_until)

    def clock(self):
        return self.now

    def event(self):
        return max(self.now, self.busy_until)

    def stopwatch(self, **wrong):
        honest = {"wait": self.wait, "mark": self.event, "clock": self.clock, "seconds_between": lambda a, b: b - a}
        return Stopwatch(**honest | wrong)


def check(device, **wrong):
    check_stopwatch(
        launch=device.launch, wait=device.wait, new_stopwatch=lambda: device.stopwatch(**wrong), clock=device.clock
    )


def test_an_honest_stopwatch_passes():
    check(AsynchronousDevice())


def test_a_stopwatch_that_does_not_wait_for_the_device_is_caught():
    with pytest.raises(RefusedError, match=r"self-test: the stopwatch read .* ms by the device's events, expected"):
        check(AsynchronousDevice(), wait=lambda: None)


def test_a_stopwatch_of_host_marks_that_does_not_wait_is_caught_too():
    device = AsynchronousDevice()
    with pytest.raises(RefusedError, match="until the device was idle"):
        check(device, wait=lambda: None, mark=device.clock)


def test_a_stopwatch_with_a_constant_in_it_is_caught():
    device = AsynchronousDevice()
    ticks = iter(range(10**6))
    with pytest.raises(RefusedError, match=r"ms for some work and .* ms for three times as much"):
        check(device, clock=lambda: device.now + 0.5 * next(ticks))


def test_events_in_the_wrong_unit_are_caught():
    with pytest.raises(RefusedError, match="device's events"):
        check(AsynchronousDevice(), seconds_between=lambda a, b: (b - a) / 1000)


def test_one_disturbed_attempt_is_no_reason_to_refuse(monkeypatch):
    good = Readings(once_s=1.0, thrice_s=3.0, thrice_events_s=3.0, thrice_other_clock_s=3.0)
    bad = Readings(once_s=1.0, thrice_s=3.5, thrice_events_s=3.5, thrice_other_clock_s=3.5)
    answers = [bad, good]
    monkeypatch.setattr(module, "_readings", lambda *_: answers.pop(0))
    check(AsynchronousDevice())
    assert answers == []


@pytest.mark.parametrize(("thrice", "passes"), [(2.84, False), (2.86, True), (3.14, True), (3.16, False)])
def test_five_percent_are_allowed(thrice, passes):
    reading = Readings(once_s=1.0, thrice_s=thrice, thrice_events_s=thrice, thrice_other_clock_s=thrice)
    assert (reading.complaint() is None) == passes


@pytest.mark.gpu
def test_the_stopwatch_of_a_run_is_true_on_the_accelerator(accelerator):
    self_test(accelerator, lambda: stopwatch_for(accelerator))


@pytest.mark.gpu
def test_a_stopwatch_that_does_not_wait_is_caught_on_the_accelerator(accelerator):
    def careless():
        honest = stopwatch_for(accelerator)
        honest._wait = lambda: None
        return honest

    with pytest.raises(RefusedError, match="self-test"):
        self_test(accelerator, careless)
    torch.accelerator.synchronize()
