"""threads.csv: the best of several CPU devices and the default one, for each recipe and model."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from reporting.obstacles import obstacle_of_cpus
from reporting.pairs import Pair, Side, cpu_sides
from reporting.statistics import StatisticsSettings, geometric_mean, ratio

CLOCK = "train_s"
AUTO = "auto"
ALONE = "one CPU device only: config/cpu_threads.yaml shows how to compare several numbers of threads"
DEFAULT_BEST = "the default is the best"
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
        reason = obstacle_of_cpus(Pair(recipe=self.recipe, model=self.model, cpu=first, gpu=side))
        return reason and f"{side.device}: {reason}"

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
        """The device with the shortest training time; None where there are no two to choose from."""
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
    """One row a recipe and model; `ratio` is the time of the default over that of the best."""
    for choice in find_choices(runs).values():
        best, default = choice.best, choice.default
        names = {"recipe": choice.recipe, "model": choice.model, "devices": len(choice.choices)}
        yield {**names, **_side("default", default), **_side("best", best), **_ratio(choice, settings)}


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
    pair = Pair(recipe=choice.recipe, model=choice.model, cpu=default, gpu=best)
    estimated = [f"{' and '.join(pair.estimated)} estimated: no interval"] if pair.estimated else []
    return {**_estimate(pair, settings), "note": "; ".join([FAVOURED, *estimated, *remarks])}


def _estimate(pair: Pair, settings: StatisticsSettings) -> Row:
    found = ratio(pair.cpu.times(CLOCK), pair.gpu.times(CLOCK), confidence=settings.confidence)
    interval = {} if pair.estimated else {"ratio_low": found.low, "ratio_high": found.high}
    return {"ratio": found.value, **interval}
