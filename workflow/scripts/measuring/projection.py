"""Projects the training time of a whole recipe from the steps that a budget allowed."""

from dataclasses import dataclass
from itertools import pairwise

BLOCKS = 10
MIN_STEPS = BLOCKS
"""A budget never ends a run before this many steps, one for each block."""


@dataclass(frozen=True, kw_only=True)
class Projection:
    """Seconds of training for all steps: a value and bounds."""

    projected_train_s: float
    projected_train_low_s: float
    projected_train_high_s: float


def project(*, step_s: list[float], step_images: list[int], elapsed_s: float, images_total: int) -> Projection:
    """Return `elapsed_s` plus the time for the images that are missing, at the pace of those that were seen.

    The steps are cut into ten blocks of consecutive ones. The first block holds the start-up costs and sets no pace.
    The value uses the seconds per image of the other nine together; the bounds use the fastest and the slowest of the
    nine. The bounds show how unsteady the run was; they are no confidence interval, and what an epoch costs once (new
    loader processes) is not in them. Raises ValueError for less than ten steps.
    """
    if len(step_s) < MIN_STEPS:
        raise ValueError(f"a projection needs at least {MIN_STEPS} steps, got {len(step_s)}")
    cuts = [len(step_s) * block // BLOCKS for block in range(1, BLOCKS + 1)]
    paces = [sum(step_s[start:end]) / sum(step_images[start:end]) for start, end in pairwise(cuts)]
    mean = sum(step_s[cuts[0] :]) / sum(step_images[cuts[0] :])
    missing = images_total - sum(step_images)
    return Projection(
        projected_train_s=elapsed_s + missing * mean,
        projected_train_low_s=elapsed_s + missing * min(paces),
        projected_train_high_s=elapsed_s + missing * max(paces),
    )
