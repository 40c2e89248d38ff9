"""How often the interval of a speed-up holds the true ratio, for kinds of noise that timings have.

`PYTHONPATH=workflow/scripts python benchmarks/interval_coverage.py [studies] [seed]` prints a table as CSV. Each study
draws n CPU times and n GPU times, and asks `reporting.statistics.ratio` for its 95 % interval. The true ratio is that
of the geometric means of the two distributions, which is what the interval is about. Noise on one side alone is the
harder case: on both sides a skew cancels.
"""

import csv
import sys
from collections.abc import Callable

import numpy as np

from reporting.statistics import ratio

Draw = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]
"""Logs of times around a mean of zero."""

SMALL = 0.03  # relative spread of process times on a quiet machine
LARGE = 20 * SMALL
SLOW = np.log(1.5)
PARETO_SHAPE = 3.0


def log_normal(spread: float) -> Draw:
    """Times whose logs are normal."""
    return lambda random, shape: spread * random.standard_normal(shape)


def log_t3(random: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Times whose logs follow Student's t with three degrees of freedom: now and then far off."""
    return SMALL * random.standard_t(3, shape)


def one_in_ten_slow(random: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """One run in ten takes 1.5 times as long; centred on the mean of the logs."""
    return SMALL * random.standard_normal(shape) + SLOW * (random.random(shape) < 0.1) - 0.1 * SLOW


def pareto(random: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """A fastest possible time and a long tail above it: the logs are exponential."""
    return random.exponential(1 / PARETO_SHAPE, shape) - 1 / PARETO_SHAPE


NOISE: dict[str, tuple[Draw, Draw]] = {
    "log-normal, equal spread": (log_normal(SMALL), log_normal(SMALL)),
    "log-normal, spread 20:1": (log_normal(LARGE), log_normal(SMALL)),
    "log-t with 3 degrees of freedom": (log_t3, log_t3),
    "one run in ten 1.5 times as slow": (one_in_ten_slow, one_in_ten_slow),
    "one CPU run in ten 1.5 times as slow": (one_in_ten_slow, log_normal(SMALL)),
    "Pareto, shape 3": (pareto, pareto),
    "Pareto, shape 3, on the CPU alone": (pareto, log_normal(SMALL)),
}
SIZES = (3, 5, 10)


def coverage(noise: str, *, n: int, studies: int, seed: int) -> float:
    """Return the share of simulated studies whose interval holds the true ratio, which is 1."""
    random = np.random.default_rng(seed)
    cpu, gpu = (np.exp(draw(random, (studies, n))) for draw in NOISE[noise])
    intervals = (ratio(left, right, confidence=0.95) for left, right in zip(cpu, gpu, strict=True))
    return sum(each.low <= 1 <= each.high for each in intervals) / studies  # type: ignore[operator]


def main(studies: int = 20_000, seed: int = 1) -> None:
    """Print one row a kind of noise, with the coverage at each number of processes."""
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["noise", *(f"coverage_n{n}" for n in SIZES), "studies", "seed"])
    for noise in NOISE:
        shares = [f"{coverage(noise, n=n, studies=studies, seed=seed):.4f}" for n in SIZES]
        table.writerow([noise, *shares, studies, seed])


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
