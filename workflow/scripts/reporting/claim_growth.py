"""The claims that the speed-up grows with the parameters, and more than proportionally."""

from collections.abc import Sequence
from itertools import pairwise

from reporting.pairs import Pair
from reporting.statistics import Estimate, Ratio, StatisticsSettings, log_growth
from reporting.verdicts import CONFIRMED, INCONCLUSIVE, NOT_CONFIRMED, NOT_TESTABLE, Row, verdict

CLOCK = "train_s"
ROUNDING = 1e-9  # an interval without width may miss 1 by the rounding of logarithms


def judge_growth(pairs: Sequence[Pair], unmet: str | None, settings: StatisticsSettings) -> Row:
    """Judge pairs in the order of their parameters; the row shows the step that decides.

    Growth is confirmed when the interval of each step lies above 1 (an intersection of tests needs no correction), and
    not confirmed when that of any step lies below 1 (a union of tests, so Bonferroni's correction over the steps).
    """
    steps = list(pairwise(pairs))
    plain = [(_names(step), _factor(step, settings.confidence)) for step in steps]
    name, weakest = min(plain, key=lambda step: _low(step[1]))
    if unmet:
        return verdict(INCONCLUSIVE, unmet, weakest)
    if _low(weakest) > 1 + ROUNDING:
        return verdict(CONFIRMED, f"{name}, the weakest step: the interval lies above 1.", weakest)
    corrected = [(_names(step), _factor(step, 1 - (1 - settings.confidence) / len(steps))) for step in steps]
    falling, lowest = min(corrected, key=lambda step: _high(step[1]))
    interval = f"the interval{f', corrected for {len(steps)} steps,' if len(steps) > 1 else ''}"
    if _high(lowest) < 1 - ROUNDING:
        return verdict(NOT_CONFIRMED, f"{falling}: {interval} lies below 1.", lowest)
    return verdict(INCONCLUSIVE, f"{name}: {interval} holds 1.", dict(corrected)[name])


def judge_slope(first: Pair, last: Pair, unmet: str | None, settings: StatisticsSettings) -> Row:
    """Judge whether the speed-up grows more than proportionally to the parameters from one model to another."""
    factor = _size(last) / _size(first)
    if factor == 1:
        return verdict(NOT_TESTABLE, f"{first.model} and {last.model} have equally many parameters.")
    before, after = _times(first), _times(last)
    slope = log_growth(before, after, size_factor=factor, confidence=settings.confidence)
    if first.estimated or last.estimated:
        slope = Estimate(value=slope.value)
    return verdict(INCONCLUSIVE, unmet, slope) if unmet else _against_one(slope, _names((first, last)))


def _against_one(slope: Estimate, names: str) -> Row:
    if _low(slope) > 1 + ROUNDING:
        return verdict(CONFIRMED, f"{names}: the interval of the slope lies above 1.", slope)
    if _high(slope) < 1 - ROUNDING:
        return verdict(NOT_CONFIRMED, f"{names}: the interval of the slope lies below 1.", slope)
    return verdict(INCONCLUSIVE, f"{names}: the interval of the slope holds 1.", slope)


def _factor(step: tuple[Pair, Pair], confidence: float) -> Estimate:
    """Factor between the speed-ups of two models, without interval when a side is estimated."""
    before, after = step
    factor = log_growth(_times(before), _times(after), confidence=confidence).exp()
    return Estimate(value=factor.value) if before.estimated or after.estimated else factor


def _low(estimate: Estimate) -> float:
    return estimate.value if estimate.low is None else estimate.low


def _high(estimate: Estimate) -> float:
    return estimate.value if estimate.high is None else estimate.high


def _times(pair: Pair) -> Ratio:
    return pair.cpu.times(CLOCK), pair.gpu.times(CLOCK)


def _size(pair: Pair) -> int:
    return pair.number("parameters") or 1


def _names(step: tuple[Pair, Pair]) -> str:
    return f"From {step[0].model} to {step[1].model}"
