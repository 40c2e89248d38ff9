"""Predicts the mean of many future values from a few past ones whose noise has a memory of unknown length."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy  # loads its parts where they are first used: that takes half a second
from numpy.typing import NDArray

CONFIDENCE = 0.95
WHITE_SHARES = (0.0, 0.5, 0.9, 0.99)
"""Of the variance of a difference between neighbours, the part that is white noise; the rest has a memory."""
PRIOR = np.outer((0.95, 0.05), (64, 16, 4, 1)).ravel()
"""Of 1/f noise and of a random walk as the rest, each with these white shares, up to a factor. Long runs that were
recorded are near 1/f noise: about as uneven over 20 s as over 0.3 s (docs/methods.md)."""

Array = NDArray[np.float64]
Growth = Callable[[Array], Array]


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """Median and 95 % prediction interval, in the unit of the values."""

    value: float
    low: float
    high: float


def load() -> None:
    """Load what a prediction needs, so that the first one, which may come within an epoch, takes no longer."""
    predict_mean([1.0, 2.0, 4.0], ahead=1.0)


def predict_mean(values: Sequence[float], ahead: float) -> Prediction:
    """Predict the mean of the next `ahead` values (any number above 0, also a fraction) from at least three.

    The values are taken as means, over adjacent intervals, of white noise plus a noise with a memory: 1/f noise or a
    random walk. Given the kind and the white share, the mean to come is Student t around its best linear prediction,
    with one degree of freedom for each difference of neighbours. Neither is known: the predictions for eight noises are
    mixed by `PRIOR` and by how well each fits the values. Where the values hold no sign of a memory the interval is
    near that of independent batch means; where they wander it grows, since they will wander further. Sources: Beran,
    Statistics for Long-Memory Processes (1994), section 8.7, for prediction; Matheron (1973) for noise of which only
    differences have a variance; Allan (1966) for means of 1/f noise.
    """
    differences = np.diff(np.asarray(values, dtype=float))
    if not differences.any():
        return Prediction(value=values[-1], low=values[-1], high=values[-1])
    given: Array = np.array([_given(noise, differences) for noise in _noises(len(differences), ahead)])
    centres, scales, fits = given.T
    weights = PRIOR * np.exp(fits - fits.max())
    mixture = _Mixture(centres + values[-1], scales, weights / weights.sum(), len(differences))
    return Prediction(
        value=mixture.quantile(0.5),
        low=mixture.quantile((1 - CONFIDENCE) / 2),
        high=mixture.quantile((1 + CONFIDENCE) / 2),
    )


def _given(covariances: Array, differences: Array) -> tuple[float, float, float]:
    """Return centre and scale of the future mean less the last value, and the logarithm of the likelihood."""
    root = np.linalg.cholesky(covariances)
    innovations = scipy.linalg.solve_triangular(root[:-1, :-1], differences, lower=True)
    squares, count = innovations @ innovations, len(differences)
    fit = -np.log(np.diagonal(root)[:-1]).sum() - 0.5 * count * np.log(squares)
    return float(root[-1, :-1] @ innovations), float(root[-1, -1] * np.sqrt(squares / count)), float(fit)


def _noises(count: int, ahead: float) -> list[Array]:
    """Return the covariances of each noise, in the order of `PRIOR`."""
    white, flicker, walk = (_covariances(growth, count, ahead) for growth in (_white, _flicker, _walk))
    return [share * white + (1 - share) * memory for memory in (flicker, walk) for share in WHITE_SHARES]


def _white(time: Array) -> Array:
    """Return how the variance of the sum of white noise over a time grows with the time."""
    return time


def _flicker(time: Array) -> Array:
    """Return the same for 1/f noise, less a multiple of the square of the time, of which differences see nothing."""
    return -scipy.special.xlogy(time**2, time)


def _walk(time: Array) -> Array:
    """Return the same for a random walk."""
    return -(time**3)


def _covariances(growth: Growth, count: int, ahead: float) -> Array:
    """Return the covariances of `count` differences of neighbours and of the future mean less the last value.

    In units of the variance of a difference. Only differences are used, for the values of such noise have no variance.
    """
    starts = np.arange(count + 2.0)
    ends = np.append(starts[1:], starts[-1] + ahead)
    distances = (np.abs(left[:, None] - right) for left in (starts, ends) for right in (starts, ends))
    near, over, under, far = map(growth, distances)
    means = (over + under - near - far) / np.outer(ends - starts, ends - starts)
    covariances: Array = np.diff(np.diff(means, axis=0), axis=1)
    return covariances / covariances[0, 0]


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
            below = self.weights @ scipy.special.stdtr(self.degrees, (middle - self.centres) / self.scales)
            low, high = (middle, high) if below < share else (low, middle)
        return float(low)
