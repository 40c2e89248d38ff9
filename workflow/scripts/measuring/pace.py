"""Predicts the mean of many future values from a few past ones whose noise has a memory of unknown length."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

CONFIDENCE = 0.95
EXPONENTS = np.arange(1.1, 3.0, 0.2)
"""1: white noise; 2: 1/f noise, whose averages do not get steadier with time; 3: a random walk."""

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """Median and 95 % prediction interval, in the unit of the values."""

    value: float
    low: float
    high: float


def predict_mean(values: Sequence[float], ahead: float) -> Prediction:
    """Predict the mean of the next `ahead` values (any number above 0, also a fraction) from at least three.

    The values are taken as means of power-law noise over adjacent intervals: the variance of its sum over a time t
    grows like t to the power of an exponent between 1 and 3. Given the exponent, the mean to come is Student t around
    its best linear prediction, with one degree of freedom for each difference of neighbours. The exponent is not
    known: predictions for ten of them, equally likely beforehand, are mixed by how well each fits the values. Where
    the values hold no sign of a memory the interval is near that of independent batch means; where they wander it
    grows, since they will wander further. Sources: Beran, Statistics for Long-Memory Processes (1994), section 8.7,
    for prediction; Matheron (1973) for noise of which only differences have a variance.
    """
    differences = np.diff(np.asarray(values, dtype=float))
    if not differences.any():
        return Prediction(value=values[-1], low=values[-1], high=values[-1])
    given: Array = np.array([_given(exponent, differences, ahead) for exponent in EXPONENTS])
    centres, scales, fits = given.T
    weights = np.exp(fits - fits.max())
    mixture = _Mixture(centres + values[-1], scales, weights / weights.sum(), len(differences))
    return Prediction(
        value=mixture.quantile(0.5),
        low=mixture.quantile((1 - CONFIDENCE) / 2),
        high=mixture.quantile((1 + CONFIDENCE) / 2),
    )


def _given(exponent: float, differences: Array, ahead: float) -> tuple[float, float, float]:
    """Return centre and scale of the future mean less the last value, and the logarithm of the likelihood."""
    past, with_future, future = _covariances(exponent, len(differences), ahead)
    inverse = np.linalg.inv(past)
    squares = differences @ inverse @ differences
    variance = max(float(future - with_future @ inverse @ with_future), 0.0) * squares / len(differences)
    fit = -0.5 * np.linalg.slogdet(past)[1] - 0.5 * len(differences) * np.log(squares)
    return float(with_future @ inverse @ differences), float(np.sqrt(variance)), float(fit)


def _covariances(exponent: float, count: int, ahead: float) -> tuple[Array, Array, float]:
    """Return the covariances of `count` differences of neighbours, each with the last value and the future mean.

    Only differences are used: beyond an exponent of 2 the values themselves have no variance.
    """
    starts = np.arange(count + 2.0)
    ends = np.append(starts[1:], starts[-1] + ahead)
    distances = (np.abs(left[:, None] - right) for left in (starts, ends) for right in (starts, ends))
    near, over, under, far = (distance**exponent for distance in distances)
    sign = 1.0 if exponent < 2 else -1.0
    means = sign * (over + under - near - far) / np.outer(ends - starts, ends - starts)
    contrasts = np.diff(np.eye(count + 2), axis=0)
    all_covariances = contrasts @ means @ contrasts.T
    return all_covariances[:-1, :-1], all_covariances[:-1, -1], float(all_covariances[-1, -1])


@dataclass(frozen=True)
class _Mixture:
    """Student t distributions, weighted."""

    centres: Array
    scales: Array
    weights: Array
    degrees: int

    def quantile(self, share: float) -> float:
        """Return the value below which this share lies, by bisection."""
        low, high = (self.centres - 1e3 * self.scales).min(), (self.centres + 1e3 * self.scales).max()
        for _ in range(60):
            middle = (low + high) / 2
            below = self.weights @ stdtr(self.degrees, (middle - self.centres) / self.scales)
            low, high = (middle, high) if below < share else (low, middle)
        return float(low)
