"""How often the 95 % prediction interval of an estimated training time holds the time, for kinds of noise.

`PYTHONPATH=workflow/scripts python benchmarks/estimate_coverage.py [runs] [seed]` prints a table as CSV. Each run has
ten epochs of 200 steps of about 0.1 s, 200 s in all. A budget of 20 s or 100 s ends it, or a target half-width of 3 %
before, if there is one (`reporting.replay`, the same code that ends a real run). Coverage, half-width and error are
those of the projection at that moment against the whole run.
"""

import csv
import itertools
import statistics
import sys
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter

from measuring.projection import Whole, Window, project
from reporting.replay import replayed

EPOCHS, STEPS, BATCH = 10, 200, 10
WHOLE = Whole(epochs=EPOCHS, images_per_epoch=STEPS * BATCH, batch_size=BATCH)
STEP_S = 0.1
LIMITS = ((20.0, 0.03), (100.0, 0.03), (100.0, None))
"""Budget in seconds, and target half-width."""
COUNT = EPOCHS * STEPS
SPREAD = 0.05
"""Relative spread of a step."""
STARTING_STEPS = 15
ON_STEPS, OFF_STEPS = 100, 400
"""Mean lengths of the time for which a neighbour is at work, and is not."""
SLOWER = 1.5

MEDIANS = ("half_width", "error", "time_share")
COLUMNS = ("noise", "budget_s", "target_half_width", "coverage", *(f"median_{name}" for name in MEDIANS))

Array = NDArray[np.float64]
Limit = tuple[float, float | None]
Draw = Callable[[np.random.Generator], Array]
"""Relative times of all steps, around 1."""


def white(random: np.random.Generator) -> Array:
    """Independent steps."""
    return 1 + SPREAD * random.standard_normal(COUNT)


def autocorrelated(lag1: float) -> Draw:
    """Steps that depend on the one before."""
    innovation = np.sqrt(1 - lag1**2)
    return lambda random: 1 + SPREAD * lfilter([innovation], [1, -lag1], random.standard_normal(2 * COUNT))[COUNT:]


def power_law(exponent: float) -> Draw:
    """Noise whose spectrum falls like one over frequency to this exponent, from a series four times as long."""

    def draw(random: np.random.Generator) -> Array:
        frequencies = np.fft.rfftfreq(4 * COUNT)[1:]
        waves = random.standard_normal((2, len(frequencies))) * frequencies ** (-exponent / 2)
        series = np.fft.irfft(np.append(0, waves[0] + 1j * waves[1]))[:COUNT]
        return 1 + SPREAD * series / series.std()

    return draw


def wandering(random: np.random.Generator) -> Array:
    """Independent steps on a level that drifts by as much over the run as a step varies."""
    return white(random) + SPREAD * random.standard_normal(COUNT).cumsum() / np.sqrt(COUNT)


def slow_start(random: np.random.Generator) -> Array:
    """A start-up in which steps take three times as long."""
    return white(random) * np.where(np.arange(COUNT) < STARTING_STEPS, 3.0, 1.0)


def neighbour(random: np.random.Generator) -> Array:
    """Another process comes and goes, and steps take 1.5 times as long meanwhile."""
    lengths = random.exponential([[OFF_STEPS, ON_STEPS]] * COUNT).ravel().round().astype(int)
    at_work = np.repeat(np.arange(len(lengths)) % 2, lengths)
    start = random.integers(OFF_STEPS + ON_STEPS)
    return white(random) * np.where(at_work[start : start + COUNT], SLOWER, 1.0)


def newcomer(random: np.random.Generator) -> Array:
    """Another process begins in the middle of the run and stays: nothing before it tells."""
    return white(random) * np.where(np.arange(COUNT) < COUNT // 2, 1.0, SLOWER)


NOISE: dict[str, Draw] = {
    "independent": white,
    "lag-1 autocorrelation 0.8": autocorrelated(0.8),
    "lag-1 autocorrelation 0.99": autocorrelated(0.99),
    "1/f": power_law(1.0),
    "random walk": power_law(2.0),
    "independent on a drifting level": wandering,
    "independent after a slow start": slow_start,
    "a neighbour comes and goes": neighbour,
    "a neighbour comes half-way and stays": newcomer,
}


def estimates(noise: str, *, limit: Limit, runs: int, seed: int) -> list[dict[str, float]]:
    """Return covered (0 or 1), half-width, error and share of the time used of each simulated run."""
    random = np.random.default_rng(seed)
    return [estimate(STEP_S * np.maximum(NOISE[noise](random), 0.1), limit) for _ in range(runs)]


def estimate(step_s: Array, limit: Limit) -> dict[str, float]:
    """Return how the estimate of this run compares with its time."""
    windows = [
        Window(step_s=part.tolist(), step_images=[BATCH] * STEPS, train_s=float(part.sum()), first_batch_s=0.0)
        for part in np.split(step_s, EPOCHS)
    ]
    seen, seconds = replayed(windows, WHOLE, *limit), float(step_s.sum())
    projection = project(seen, WHOLE)
    return {
        "coverage": float(projection.projected_train_low_s <= seconds <= projection.projected_train_high_s),
        "half_width": projection.half_width,
        "error": abs(projection.projected_train_s / seconds - 1),
        "time_share": sum(window.train_s for window in seen) / seconds,
    }


def main(runs: int = 1000, seed: int = 1) -> None:
    """Print one row a kind of noise and limit."""
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow([*COLUMNS, "runs", "seed"])
    for noise, limit in itertools.product(NOISE, LIMITS):
        found = estimates(noise, limit=limit, runs=runs, seed=seed)
        medians = (statistics.median(each[name] for each in found) for name in MEDIANS)
        covered = statistics.mean(each["coverage"] for each in found)
        table.writerow([noise, *limit, f"{covered:.3f}", *(f"{value:.4f}" for value in medians), runs, seed])
        sys.stdout.flush()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
