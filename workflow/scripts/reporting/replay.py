"""What a budget would have made of a run that was trained to its end, from the recorded times of its steps."""

import itertools
from collections.abc import Sequence
from dataclasses import replace

from measuring.budget import Budget
from measuring.projection import Whole, Window


def until_end(windows: Sequence[Window], budget: Budget) -> list[Window]:
    """Return the epochs until the budget ends the run, the last one as far as it ran; all if it never does.

    `windows` are the epochs of the whole run. On a CPU this is exactly what a run does. On an accelerator a run looks,
    within an epoch, at the host's times, which are not recorded: here it sees those of the device.
    """
    seen: list[Window] = []
    for window in windows:
        budget.first_batch(window.first_batch_s)
        seen.append(_as_far_as_it_ran(window, budget))
        budget.epoch(seen[-1])
        if budget.ended:
            break
    return seen


def _as_far_as_it_ran(window: Window, budget: Budget) -> Window:
    elapsed_s = itertools.accumulate(window.step_s)
    for number, (seconds, images) in enumerate(zip(elapsed_s, window.step_images, strict=True), start=1):
        if budget.step(seconds, images):
            return window if number == len(window.step_s) else _first_steps(window, number, seconds)
    return window


def _first_steps(window: Window, number: int, elapsed_s: float) -> Window:
    return replace(window, step_s=window.step_s[:number], step_images=window.step_images[:number], train_s=elapsed_s)


def replayed(windows: Sequence[Window], whole: Whole, budget_s: float, target_half_width: float | None) -> list[Window]:
    """Return what a run with this budget would have seen of these epochs; nothing if it would not have ended early."""
    budget = Budget(budget_s=budget_s, target_half_width=target_half_width, whole=whole)
    seen = until_end(windows, budget)
    return seen if budget.ended else []
