"""threads.csv: the fastest of several CPU devices and the default one, and whether the one is shown to be the best."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from reporting.learning import learning
from reporting.obstacles import obstacle_of_cpus
from reporting.pairs import Pair, Side, cpu_sides, ratio_bounds
from reporting.statistics import Estimate, StatisticsSettings, geometric_mean, place, ratio
from reporting.support import why_no_claim
from reporting.verdicts import INCONCLUSIVE

CLOCK = "train_s"
AUTO = "auto"
ALONE = "one CPU device only: config/cpu_threads.yaml shows how to compare several numbers of threads"
BEST = "best"
DEFAULT_BEST = "the default was the fastest"
FAVOURED = "chosen by these very times, which favours the best"
Row = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Choice:
    """The CPU devices of one recipe and model: the one with `threads: auto` (or the first), and the fastest."""

    recipe: str
    model: str
    sides: list[Side]

    @cached_property
    def timed(self) -> list[Side]:
        """The devices that have a training time, measured or projected, the default first."""
        timed = [side for side in self.sides if side.times(CLOCK)]
        return sorted(timed, key=lambda side: side.device != self.default.device)

    @cached_property
    def unlike(self) -> dict[str, str]:
        """The timed devices that are not compared with the first of them, and why, in words."""
        reasons = {str(side.device): self._against(self.timed[0], side) for side in self.timed[1:]}
        return {device: reason for device, reason in reasons.items() if reason}

    def _against(self, first: Side, side: Side) -> str | None:
        if first.device == self.default.device and side.threads == first.threads:  # they differ by noise
            return f"{side.device} has the {side.threads} threads of {first.device}: not compared"
        reason = obstacle_of_cpus(self.pair(first, side))
        return reason and f"{side.device}: {reason}"

    def pair(self, one: Side, other: Side) -> Pair:
        """Two devices as the sides of a ratio: the time of the one over that of the other."""
        return Pair(recipe=self.recipe, model=self.model, cpu=one, gpu=other)

    @cached_property
    def choices(self) -> list[Side]:
        """The timed devices that are compared."""
        return [side for side in self.timed if side.device not in self.unlike]

    @property
    def remarks(self) -> list[str]:
        """How many runs of each compared device were disturbed, and which devices or runs are left out, and why."""
        disturbed = [f"{side.device} disturbed: {side.disturbed}" for side in self.choices if side.disturbed]
        mixed = [f"{side.device} has measured and estimated runs" for side in self.sides if side.mode == "mixed"]
        failed = [f"{side.device}: {side.failures}" for side in self.sides if side.failures]
        return [*disturbed, *self.unlike.values(), *mixed, *failed]

    @cached_property
    def default(self) -> Side:
        """The device that a user gets who sets nothing."""
        automatic = (side for side in self.sides if AUTO in set(side.runs["threads_requested"]))
        return next(automatic, self.sides[0])

    @cached_property
    def best(self) -> Side | None:
        """The fastest device, by the geometric mean; None where there are no two to choose from."""
        return min(self.choices, key=seconds) if len(self.choices) > 1 else None

    def role(self, device: str | None) -> str | None:
        """`default`, `best`, `default and best`, or None for another device; one device alone is the default."""
        if device == self.default.device:
            return "default and best" if self._is_best(device) else "default"
        return "best" if self._is_best(device) else None

    def _is_best(self, device: str | None) -> bool:
        return self.best is not None and self.best.device == device


def seconds(side: Side) -> float:
    """Geometric mean of the training times of a device."""
    return geometric_mean(side.times(CLOCK))


def find_choices(runs: pd.DataFrame) -> dict[tuple[str, str], Choice]:
    """The CPU devices of each recipe and model of runs.csv that has any."""
    return {
        key: Choice(recipe=key[0], model=key[1], sides=sides) for key, sides in cpu_sides(runs).items() if len(sides)
    }


def thread_rows(runs: pd.DataFrame, settings: StatisticsSettings) -> Iterator[Row]:
    """One row a recipe and model; `ratio` is the time of the default over that of the fastest device, called best."""
    for choice in find_choices(runs).values():
        names = {"recipe": choice.recipe, "model": choice.model, "devices": len(choice.choices)}
        sides = {**_side("default", choice.default), **_side("best", choice.best)}
        yield {**names, **sides, **_ratio(choice, settings), **_verdict(choice, settings)}


def _side(name: str, side: Side | None) -> Row:
    if side is None:
        return {}
    times = side.times(CLOCK)
    return {
        f"{name}_device": side.device,
        f"{name}_threads": side.threads,
        f"{name}_mode": side.mode,
        f"n_{name}": len(side.ok),
        f"{name}_s": geometric_mean(times) if times else None,
    }


def _ratio(choice: Choice, settings: StatisticsSettings) -> Row:
    """Ratio of default and best where they are two, and what a reader must know about it."""
    best, default, remarks = choice.best, choice.default, choice.remarks
    if len(choice.sides) == 1:
        return {"note": "; ".join([ALONE, *remarks])}
    if best is None:
        return {"note": "; ".join(remarks)}
    if best is default:
        return {"note": "; ".join([DEFAULT_BEST, *remarks])}
    if not default.times(CLOCK):
        return {"note": "; ".join([f"no time of {default.device}", *remarks])}
    pair = choice.pair(default, best)
    return {**_estimate(pair, settings), "note": "; ".join([FAVOURED, *_without_interval(pair), *remarks])}


def _without_interval(pair: Pair) -> list[str]:
    if pair.estimated:
        return [f"{' and '.join(pair.estimated)} estimated: bounds of the projections, no interval"]
    return ["no interval: n = 1"] if min(len(side.ok) for side in pair.sides) == 1 else []


def _estimate(pair: Pair, settings: StatisticsSettings) -> Row:
    found = _slower(pair, settings)
    if pair.estimated:
        return {"ratio": found.value, **{f"ratio_bound_{end}": value for end, value in ratio_bounds(pair).items()}}
    return {"ratio": found.value, "ratio_low": found.low, "ratio_high": found.high}


def _slower(pair: Pair, settings: StatisticsSettings) -> Estimate:
    return ratio(pair.cpu.times(CLOCK), pair.gpu.times(CLOCK), confidence=settings.confidence)


def _verdict(choice: Choice, settings: StatisticsSettings) -> Row:
    """Whether the fastest device is shown to be the best: the interval of every other one's time over its lies above 1.

    That asks all of several tests to agree, which needs no correction for their number.
    """
    best = choice.best
    if best is None:
        return {}
    pairs = {str(side.device): choice.pair(side, best) for side in choice.choices if side is not best}
    unmet = why_no_claim([_support(device, pair, settings) for device, pair in pairs.items()], settings)
    if unmet:
        return {"verdict": INCONCLUSIVE, "reason": unmet}
    ratios = {device: _slower(pair, settings) for device, pair in pairs.items()}
    nearest = min(ratios, key=lambda device: ratios[device].low or 0.0)
    times = f"{nearest} with {ratios[nearest].words} times the time of {best.device}."
    if place(ratios[nearest], 0, 1) == "outside":
        return {"verdict": BEST, "reason": f"Every other device takes longer: the nearest is {times}"}
    return {"verdict": INCONCLUSIVE, "reason": f"Not shown to take longer: {times}"}


def _support(device: str, pair: Pair, settings: StatisticsSettings) -> Row:
    """What a claim needs of a device and the fastest one, in the columns of speedup.csv."""
    modes = {"cpu_mode": pair.cpu.mode, "gpu_mode": pair.gpu.mode}
    counts = {"n_cpu": len(pair.cpu.ok), "n_gpu": len(pair.gpu.ok), "failures": "; ".join(pair.failures)}
    return {"model": device, **modes, **counts, "learning": learning(pair, settings)}
