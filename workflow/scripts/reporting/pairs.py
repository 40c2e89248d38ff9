"""Pairs: the CPU runs and the GPU runs of one model and recipe."""

from dataclasses import dataclass
from typing import Any

import pandas as pd

from reporting.notes import disturbed_runs, failures
from reporting.statistics import geometric_mean
from reporting.tables import known

NO_GPU = "There is no GPU run in this study: add a device with gpus: 1 to study.devices and run again"
NO_CPU = "There is no CPU run in this study: add a device with gpus: 0 to study.devices and run again"


@dataclass(frozen=True, kw_only=True)
class Side:
    """All planned runs of one recipe, model and device: rows of runs.csv; no device and no rows where there is none."""

    device: str | None
    runs: pd.DataFrame

    @property
    def ok(self) -> pd.DataFrame:
        """The runs that ended well."""
        return self.runs[self.runs["status"] == "ok"]

    @property
    def mode(self) -> str | None:
        """measured, estimated, `mixed`, or None without an ok run."""
        modes = known(self.ok["mode"])
        return "mixed" if len(modes) > 1 else next(iter(modes), None)

    @property
    def name(self) -> str | None:
        """Name of the processor or accelerator; several are joined."""
        return " / ".join(known(self.ok["device_name"])) or None

    @property
    def threads(self) -> str | None:
        """Host threads as read back; several are joined."""
        return " / ".join(f"{threads:g}" for threads in known(self.ok["threads_effective"])) or None

    @property
    def failures(self) -> str:
        """What the runs that did not end well ended as, such as `1 diverged, 2 missing`; empty when all are ok."""
        return failures(self.runs["status"])

    @property
    def disturbed(self) -> str:
        """How many of the ok runs were disturbed in too many of their windows, in words; empty when none was."""
        return disturbed_runs(self.ok["disturbed"])

    def mean(self, column: str) -> float | None:
        """Mean of a column over the ok runs; None unless all of them have a number, all measured or all estimated."""
        values = known_values(self.ok[column])
        complete = values and len(values) == len(self.ok) and self.mode != "mixed"
        return sum(values) / len(values) if complete else None

    def words(self, column: str) -> str | None:
        """What a column of words says of the ok runs, after the name of the device; None without ok run."""
        said = known(self.ok[column])
        return f"{self.device}: {', '.join(said)}" if said else None

    def times(self, clock: str) -> list[float]:
        """Seconds of each ok run; of an estimated side projected_train_s and no total_s, of a mixed one nothing."""
        if self.mode == "mixed":
            return []
        projected = self.mode == "estimated" and clock == "train_s"
        return [float(time) for time in known_values(self.ok["projected_train_s" if projected else clock])]

    def ends(self, end: str) -> list[float]:
        """Low or high (`end`) seconds of each ok run: of an estimated side its 95 % prediction interval."""
        column = f"projected_train_{end}_s" if self.mode == "estimated" else "train_s"
        return [float(time) for time in known_values(self.ok[column])]


@dataclass(frozen=True, kw_only=True)
class Pair:
    """The two sides of one speed-up."""

    recipe: str
    model: str
    cpu: Side
    gpu: Side

    @property
    def sides(self) -> tuple[Side, Side]:
        """CPU and GPU."""
        return self.cpu, self.gpu

    @property
    def estimated(self) -> list[str]:
        """The devices whose times are projections."""
        return [str(side.device) for side in self.sides if side.mode == "estimated"]

    @property
    def failures(self) -> list[str]:
        """The runs that did not end well, a text for each side that has some, such as `cuda without 1 diverged`."""
        return [f"{side.device} without {side.failures}" for side in self.sides if side.failures]

    @property
    def ok(self) -> pd.DataFrame:
        """The ok runs of both sides."""
        return pd.concat([self.cpu.ok, self.gpu.ok])

    def one(self, column: str) -> object:
        """The first known value of a column on either side, or None."""
        return next(iter(known(self.ok[column])), None)

    def number(self, column: str) -> int | None:
        """The same of a column of counts."""
        value: Any = self.one(column)
        return None if value is None else int(value)


def known_values(values: pd.Series) -> list[float]:
    """The values that are not empty, repeated ones included."""
    return list(values.dropna())


def ratio_bounds(pair: Pair) -> dict[str, float]:
    """`low` and `high`: CPU over GPU at the ends of the 95 % prediction interval of every projection.

    Low is the fast end of the CPU over the slow end of the GPU, high the reverse; absent where an end is not known.
    """
    ends = {"low": ("low", "high"), "high": ("high", "low")}
    times = {name: (pair.cpu.ends(cpu), pair.gpu.ends(gpu)) for name, (cpu, gpu) in ends.items()}
    return {
        name: geometric_mean(cpu) / geometric_mean(gpu)
        for name, (cpu, gpu) in times.items()
        if len(cpu) == len(pair.cpu.ok) and len(gpu) == len(pair.gpu.ok)
    }


def find_pairs(runs: pd.DataFrame) -> list[Pair]:
    """Every (device with gpus 0) x (device with gpus >= 1) of each recipe and model, in the order of runs.csv.

    Without any device of one kind the pairs have an empty side, so that every table can say which.
    """
    return [
        Pair(recipe=recipe, model=model, cpu=cpu, gpu=gpu)
        for (recipe, model), rows in _by_model(runs)
        for cpu in _sides(rows[rows["gpus"] == 0])
        for gpu in _sides(rows[rows["gpus"] >= 1])
    ]


def cpu_sides(runs: pd.DataFrame) -> dict[tuple[str, str], list[Side]]:
    """The devices without GPU of each recipe and model, in the order of runs.csv."""
    groups = ((key, rows[rows["gpus"] == 0]) for key, rows in _by_model(runs))
    return {key: [] if rows.empty else _sides(rows) for key, rows in groups}


def _by_model(runs: pd.DataFrame) -> list[tuple[tuple[str, str], pd.DataFrame]]:
    keys = runs[["recipe", "model"]].drop_duplicates().itertuples(index=False, name=None)
    return [(key, runs[(runs["recipe"] == key[0]) & (runs["model"] == key[1])]) for key in keys]


def _sides(rows: pd.DataFrame) -> list[Side]:
    found = [Side(device=str(device), runs=group) for device, group in rows.groupby("device", sort=False)]
    return found or [Side(device=None, runs=rows)]


def remarks(pair: Pair, clock: str) -> list[str]:
    """What a reader must know beside the number of a comparable pair."""
    notes = pair.failures + places(pair.ok, pair.gpu.device)
    notes += [f"{side.device} disturbed: {side.disturbed}" for side in (pair.cpu, pair.gpu) if side.disturbed]
    estimated = pair.estimated
    if estimated and clock == "train_s":
        notes.append(f"{' and '.join(estimated)} estimated: projected_train_s with its 95 % prediction interval")
    elif estimated:
        notes.append(f"{' and '.join(estimated)} estimated: total_s not run")
    elif min(len(side.ok) for side in pair.sides) == 1:
        notes.append("no interval: n = 1")
    return notes


def places(ok: pd.DataFrame, what: str | None) -> list[str]:
    """Where runs that are compared took place, if not all of them on one host and one GPU."""
    hosts, gpus = known(ok["host"]), known(ok["gpu_uuid"])
    apart = [f"hosts of one Slurm allocation: {', '.join(hosts)}"] if len(hosts) > 1 else []
    return apart + ([f"{what} on {len(gpus)} GPUs of one name"] if len(gpus) > 1 else [])
