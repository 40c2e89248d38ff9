from dataclasses import replace

import numpy as np
import pytest

from measuring.budget import Budget
from measuring.projection import Whole, Window
from reporting.replay import replayed, until_end

WHOLE = Whole(epochs=3, images_per_epoch=1000, batch_size=10)


def epochs(step_s):
    """Three epochs of 100 steps whose windows end 1 s after their last step."""
    return [
        Window(step_s=[step_s] * 100, step_images=[10] * 100, train_s=100 * step_s + 1, first_batch_s=0.1)
        for _ in range(WHOLE.epochs)
    ]


def test_a_budget_cuts_an_epoch_at_the_step_that_exceeds_it():
    (seen,) = replayed(epochs(1.0), WHOLE, 40.0, None)
    assert len(seen.step_s) == len(seen.step_images) == 40
    assert seen.train_s == 40.0
    assert seen.first_batch_s == 0.1


def test_what_an_epoch_took_beside_its_steps_counts_for_the_budget():
    seen = replayed(epochs(1.0), WHOLE, 150.0, None)
    assert [window.train_s for window in seen] == [101.0, 49.0]


def test_a_target_ends_a_steady_run_before_its_budget():
    (seen,) = replayed(epochs(1.0), WHOLE, 250.0, 0.03)
    assert seen.train_s == 10.0


def test_a_run_that_is_shorter_than_its_budget_gives_no_estimate():
    assert replayed(epochs(1.0), WHOLE, 1000.0, None) == []


def test_a_target_that_is_reached_between_two_epochs_ends_the_run_there():
    fast = [replace(window, step_s=[0.12] * 100, train_s=12.0) for window in epochs(1.0)]
    budget = Budget(budget_s=250.0, target_half_width=0.03, whole=WHOLE)
    seen = until_end(fast, budget)
    assert [len(window.step_s) for window in seen] == [84]  # 84 steps of 0.12 s are the first to pass 10 s


def test_what_is_seen_does_not_depend_on_what_comes_later():
    random = np.random.default_rng(0)
    quiet = [replace(window, step_s=random.lognormal(0, 0.05, 100).tolist()) for window in epochs(1.0)]
    slow_end = [*quiet[:2], replace(quiet[2], step_s=[50.0] * 100)]
    assert replayed(quiet, WHOLE, 150.0, 0.001) == pytest.approx(replayed(slow_end, WHOLE, 150.0, 0.001))
