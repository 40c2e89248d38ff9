"""Projects the training time of a whole recipe from the steps that a budget allowed."""

from dataclasses import dataclass
from statistics import fmean

BLOCKS = 10
MIN_STEPS = BLOCKS
"""A budget never ends a run before this many steps, one for each block."""


@dataclass(frozen=True, kw_only=True)
class Projection:
    """Seconds of training for all steps: a value and bounds."""

    projected_train_s: float
    projected_train_low_s: float
    projected_train_high_s: float


def project(*, step_s: list[float], elapsed_s: float, steps_total: int) -> Projection:
    """Return `elapsed_s` plus the steps that are missing, at the pace of the steps that ran.

    The steps are cut into ten blocks of consecutive ones. The first block holds the start-up costs and sets no pace.
    The value uses the mean step of the other nine; the bounds use the fastest and the slowest of the nine. The bounds
    show how unsteady the run was; they are no confidence interval. Raises ValueError for less than ten steps.
    """
    if len(step_s) < MIN_STEPS:
        raise ValueError(f"a projection needs at least {MIN_STEPS} steps, got {len(step_s)}")
    blocks = [step_s[len(step_s) * i // BLOCKS : len(step_s) * (i + 1) // BLOCKS] for i in range(1, BLOCKS)]
    paces = [fmean(block) for block in blocks]
    mean = fmean(second for block in blocks for second in block)
    missing = steps_total - len(step_s)
    return Projection(
        projected_train_s=elapsed_s + missing * mean,
        projected_train_low_s=elapsed_s + missing * min(paces),
        projected_train_high_s=elapsed_s + missing * max(paces),
    )
