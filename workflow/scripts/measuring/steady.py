"""Where the steady state of a run begins: the end of its start-up transient."""

from collections.abc import Sequence

import numpy as np

GROUP = 5
MIN_GROUPS = 8
LARGEST_SHARE = 0.2


def transient_steps(step_s: Sequence[float]) -> int:
    """Return how many of the first steps belong to the start-up: autotuning, allocation, caches that fill.

    MSER-5 (White, Cobb and Spratt, "A comparison of five steady-state truncation heuristics for simulation", Winter
    Simulation Conference 2000): cut where the standard error of the mean of what is left is smallest, over means of
    five steps. Their logarithms are used, so that a few slow steps later on do not decide.

    Two restrictions make it safe for noise with a long memory, in which MSER otherwise picks the quietest end of the
    series: at most a fifth is cut, and only a beginning that is slower than the rest. Fewer than 40 steps: 0.
    """
    groups = len(step_s) // GROUP
    if groups < MIN_GROUPS:
        return 0
    logs = np.log(np.reshape(step_s[: groups * GROUP], (groups, GROUP)).mean(axis=1))
    cuts = [cut for cut in range(1, int(groups * LARGEST_SHARE) + 1) if logs[:cut].mean() > logs[cut:].mean()]
    return GROUP * min([0, *cuts], key=lambda cut: logs[cut:].var() / (groups - cut))
