"""Intervals over processes: every one is a linear combination of independent means (Welch, Satterthwaite)."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats


@dataclass(frozen=True, kw_only=True)
class StatisticsSettings:
    """The `statistics` part of the configuration."""

    confidence: float  # share, of every interval
    min_claim_repeats: int  # processes on each side below which no claim is made
    parity_margin: float  # difference of test accuracy (share) that still counts as equal
    replication_tolerance: float  # relative distance from a stated ratio that counts as confirmed

    @classmethod
    def from_json(cls, text: str) -> "StatisticsSettings":
        """From the JSON text of the `statistics` part."""
        return cls(**json.loads(text))


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A value with its two-sided interval; low and high are None where there is no interval."""

    value: float
    low: float | None = None
    high: float | None = None

    def exp(self) -> "Estimate":
        """From the log scale to the scale of ratios."""
        has_interval = self.low is not None and self.high is not None
        low, high = (math.exp(self.low), math.exp(self.high)) if has_interval else (None, None)  # type: ignore[arg-type]
        return Estimate(value=math.exp(self.value), low=low, high=high)

    @property
    def words(self) -> str:
        """With three digits, such as `1.2 (1.1 to 1.31)`."""
        value = f"{self.value:.3g}"
        return value if self.low is None else f"{value} ({self.low:.3g} to {self.high:.3g})"


def linear_combination(samples: Sequence[Sequence[float]], weights: Sequence[float], *, confidence: float) -> Estimate:
    """The sum of weights times sample means, with a t interval.

    Args:
        samples: one sample a group, independent, each of n >= 1 processes, variances not assumed equal.
        weights: one a group.
        confidence: share, for example 0.95.

    Returns:
        The estimate, without interval where any group has n = 1; degrees of freedom by Welch (1947) and
        Satterthwaite (1946).
    """
    value = float(sum(weight * np.mean(sample) for weight, sample in zip(weights, samples, strict=True)))
    if min(len(sample) for sample in samples) < 2:
        return Estimate(value=value)
    parts = [
        weight**2 * float(np.var(sample, ddof=1)) / len(sample) for weight, sample in zip(weights, samples, strict=True)
    ]
    half = _half_width(parts, [len(sample) for sample in samples], confidence)
    return Estimate(value=value, low=value - half, high=value + half)


def _half_width(parts: Sequence[float], counts: Sequence[int], confidence: float) -> float:
    variance = sum(parts)
    if variance == 0:
        return 0.0
    shares = [part / variance for part in parts]
    degrees = 1 / sum(share**2 / (count - 1) for share, count in zip(shares, counts, strict=True))
    return float(stats.t.ppf((1 + confidence) / 2, degrees)) * math.sqrt(variance)


def ratio(numerator: Sequence[float], denominator: Sequence[float], *, confidence: float) -> Estimate:
    """Ratio of the geometric means of two samples of times, by Welch on logs."""
    return linear_combination([_logs(numerator), _logs(denominator)], [1, -1], confidence=confidence).exp()


def difference(minuend: Sequence[float], subtrahend: Sequence[float], *, confidence: float) -> Estimate:
    """Difference of the means of two samples, by Welch."""
    return linear_combination([minuend, subtrahend], [1, -1], confidence=confidence)


Ratio = tuple[Sequence[float], Sequence[float]]  # times of the numerator, times of the denominator


def log_growth(before: Ratio, after: Ratio, *, size_factor: float = math.e, confidence: float) -> Estimate:
    """Log of the factor from one ratio of times to another, over the log of the factor between two sizes.

    With the default size factor it is the growth itself (`.exp()` gives the factor); with the factor between the sizes
    of two models it is the slope of log ratio against log size, 1 for proportional growth.
    """
    weight = 1 / math.log(size_factor)
    samples = [_logs(times) for times in (after[0], before[0], before[1], after[1])]
    return linear_combination(samples, [weight, -weight, weight, -weight], confidence=confidence)


def _logs(values: Sequence[float]) -> list[float]:
    return [math.log(value) for value in values]


def geometric_mean(values: Sequence[float]) -> float:
    """The geometric mean of positive values."""
    return math.exp(sum(_logs(values)) / len(values))


def place(estimate: Estimate, low: float, high: float) -> str:
    """Where an interval lies against a band: `inside`, `outside` or `across` (also without interval)."""
    if estimate.low is None or estimate.high is None:
        return "across"
    if low <= estimate.low and estimate.high <= high:
        return "inside"
    return "outside" if estimate.high < low or estimate.low > high else "across"


def equivalence(minuend: Sequence[float], subtrahend: Sequence[float], settings: StatisticsSettings) -> Estimate:
    """Difference of means with the interval that decides on equality, of confidence 1 - 2 alpha (Schuirmann 1987)."""
    return difference(minuend, subtrahend, confidence=2 * settings.confidence - 1)


def parity_verdict(minuend: Sequence[float], subtrahend: Sequence[float], settings: StatisticsSettings) -> str:
    """Equivalence by two one-sided tests: `equal`, `different` or `inconclusive`.

    Equal: the interval of `equivalence` lies within the margin; different: it lies wholly outside. Either is wrong with
    at most the probability 1 - confidence. No verdict below min_claim_repeats processes on either side.
    """
    if min(len(minuend), len(subtrahend)) < settings.min_claim_repeats:
        return "inconclusive"
    position = place(equivalence(minuend, subtrahend, settings), -settings.parity_margin, settings.parity_margin)
    return {"inside": "equal", "outside": "different", "across": "inconclusive"}[position]
