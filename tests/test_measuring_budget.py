import numpy as np
import pytest

from measuring.budget import Budget
from measuring.projection import Whole, Window

WHOLE = Whole(epochs=10, images_per_epoch=1000, batch_size=10)


def steps_until_end(budget, step_s):
    """Feed the steps of one epoch and return how many ran."""
    elapsed_s = 0.0
    for number, seconds in enumerate(step_s, start=1):
        elapsed_s += seconds
        if budget.step(elapsed_s, 10):
            return number
    return len(step_s)


def made(budget_s=None, target=None, whole=WHOLE):
    return Budget(budget_s=budget_s, target_half_width=target, whole=whole)


def noisy(steps, spread):
    return 1 + spread * np.random.default_rng(0).standard_normal(steps)


def test_a_run_without_budget_never_ends_whatever_its_target():
    budget = made(target=0.5)
    assert steps_until_end(budget, [1.0] * 100) == 100
    assert budget.ended is None


def test_a_budget_ends_at_its_second_but_not_before_the_tenth_step():
    assert steps_until_end(made(30.0), [1.0] * 100) == 30
    assert steps_until_end(made(3.0), [1.0] * 100) == 10


def test_a_steady_run_ends_at_the_first_look():
    budget = made(80.0, 0.03)
    assert steps_until_end(budget, noisy(100, 0.001)) == 10
    assert budget.ended == "training time known within 3 %"


def test_an_unsteady_run_uses_its_budget():
    budget, step_s = made(80.0, 0.03), noisy(100, 0.3)
    ran = steps_until_end(budget, step_s)
    assert step_s[: ran - 1].sum() < 80.0 <= step_s[:ran].sum()
    assert budget.ended == "budget of 80 s used up"


def test_no_target_means_the_whole_budget():
    budget, step_s = made(80.0), noisy(100, 0.001)
    ran = steps_until_end(budget, step_s)
    assert step_s[: ran - 1].sum() < 80.0 <= step_s[:ran].sum()


def test_it_looks_after_10_s_and_then_a_quarter_later_each_time(monkeypatch):
    looks = []

    class Wide:
        half_width = 1.0

    monkeypatch.setattr("measuring.budget.project", lambda windows, whole: looks.append(windows[0].train_s) or Wide())
    steps_until_end(made(50.0, 0.03), [0.5] * 200)
    assert looks == [10.0, 12.5, 16.0, 20.0, 25.0, 31.5, 39.5, 49.5]


def test_between_epochs_the_true_times_replace_those_of_the_host():
    budget = made(100.0, 0.03)
    assert steps_until_end(budget, [0.001] * 100) == 100  # the host ran ahead of the device
    epoch = Window(step_s=[0.12] * 100, step_images=[10] * 100, train_s=12.0, first_batch_s=0.0)
    budget.epoch(epoch)
    assert budget.ended == "training time known within 3 %"


def test_a_budget_counts_the_epochs_before():
    budget = made(150.0)
    assert steps_until_end(budget, [1.0] * 100) == 100
    budget.epoch(Window(step_s=[1.0] * 100, step_images=[10] * 100, train_s=100.0, first_batch_s=0.0))
    assert budget.ended is None
    assert steps_until_end(budget, [1.0] * 100) == 50


def test_nothing_ends_with_the_very_last_step():
    budget = made(100.0, whole=Whole(epochs=1, images_per_epoch=1000, batch_size=10))
    assert steps_until_end(budget, [1.0] * 100) == 100
    budget.epoch(Window(step_s=[1.0] * 100, step_images=[10] * 100, train_s=100.0, first_batch_s=0.0))
    assert budget.ended is None


def test_the_wait_for_the_first_batch_is_kept():
    budget = made()
    budget.first_batch(0.25)
    assert budget.first_batch_s == pytest.approx(0.25)
