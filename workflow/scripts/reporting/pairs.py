"""Pairs: the CPU runs and the GPU runs of one model and recipe, and the reasons why they may not be compared."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from reporting.notes import disturbed_runs, failures
from reporting.tables import known

# What must be one value over all runs of a pair, and what a reader calls it.
SAME_ON_BOTH = {
    "host": "host",
    "python": "Python version",
    "torch": "torch version",
    "torchvision": "torchvision version",
    "cuda": "CUDA version",
    "cudnn": "cuDNN version",
    "dataset_sha256": "dataset content",
    "code_sha256": "measuring code",
    "epochs": "epochs",
    "batch_size": "batch_size",
    "precision": "precision",
    "protocol_version": "protocol_version",
}


@dataclass(frozen=True, kw_only=True)
class Side:
    """All planned runs of one recipe, model and device: rows of runs.csv."""

    device: str
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
    def failures(self) -> str:
        """What the runs that did not end well ended as, such as `1 diverged, 2 missing`; empty when all are ok."""
        return failures(self.runs["status"])

    @property
    def disturbed(self) -> str:
        """How many of the ok runs were disturbed in too many of their windows, in words; empty when none was."""
        return disturbed_runs(self.ok["disturbed"])

    def times(self, clock: str) -> list[float]:
        """Seconds of each ok run; of an estimated side the projection of train_s, and no total_s."""
        projected = self.mode == "estimated" and clock == "train_s"
        return [float(time) for time in known_values(self.ok["projected_train_s" if projected else clock])]


@dataclass(frozen=True, kw_only=True)
class Pair:
    """The two sides of one speed-up."""

    recipe: str
    model: str
    cpu: Side
    gpu: Side

    @property
    def ok(self) -> pd.DataFrame:
        """The ok runs of both sides."""
        return pd.concat([self.cpu.ok, self.gpu.ok])

    def one(self, column: str) -> object:
        """The first known value of a column on either side, or None."""
        return next(iter(known(self.ok[column])), None)


def known_values(values: pd.Series) -> list[float]:
    """The values that are not empty, repeated ones included."""
    return list(values.dropna())


def find_pairs(runs: pd.DataFrame) -> list[Pair]:
    """Every (device with gpus 0) x (device with gpus >= 1) of each recipe and model, in the order of runs.csv."""
    return [
        Pair(recipe=recipe, model=model, cpu=cpu, gpu=gpu)
        for (recipe, model), rows in _by_model(runs)
        for cpu in _sides(rows[rows["gpus"] == 0])
        for gpu in _sides(rows[rows["gpus"] >= 1])
    ]


def _by_model(runs: pd.DataFrame) -> list[tuple[tuple[str, str], pd.DataFrame]]:
    keys = runs[["recipe", "model"]].drop_duplicates().itertuples(index=False, name=None)
    return [(key, runs[(runs["recipe"] == key[0]) & (runs["model"] == key[1])]) for key in keys]


def _sides(rows: pd.DataFrame) -> list[Side]:
    return [Side(device=str(device), runs=group) for device, group in rows.groupby("device", sort=False)]


def obstacle(pair: Pair) -> str | None:
    """Why this pair gives no speed-up, in words, or None."""
    return _without_run((pair.cpu, pair.gpu)) or _mixed((pair.cpu, pair.gpu)) or _different(pair)


def _without_run(sides: Sequence[Side]) -> str | None:
    empty = [f"no ok run on {side.device} ({side.failures})" for side in sides if side.ok.empty]
    return "; ".join(empty) or None


def _mixed(sides: Sequence[Side]) -> str | None:
    mixed = [side.device for side in sides if side.mode == "mixed"]
    return f"refused: {', '.join(mixed)} has measured and estimated runs" if mixed else None


def _different(pair: Pair) -> str | None:
    """Empty values say nothing: a CPU run may know no CUDA version."""
    values = {label: known(pair.ok[column]) for column, label in SAME_ON_BOTH.items()}
    found = [
        f"{label} ({', '.join(_brief(value) for value in several)})"
        for label, several in values.items()
        if len(several) > 1
    ]
    return f"refused: the runs differ in {'; '.join(found)}" if found else None


def _brief(value: object) -> str:
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return text if len(text) < 64 else f"{text[:10]}..."


def remarks(pair: Pair, clock: str) -> list[str]:
    """What a reader must know beside the number of a comparable pair."""
    sides = (pair.cpu, pair.gpu)
    notes = [f"{side.device} without {side.failures}" for side in sides if side.failures]
    notes += [f"{side.device} disturbed: {side.disturbed}" for side in sides if side.disturbed]
    estimated = [side.device for side in sides if side.mode == "estimated"]
    if estimated and clock == "train_s":
        notes.append(f"{' and '.join(estimated)} estimated: projected_train_s")
    if estimated and clock == "total_s":
        notes.append(f"{' and '.join(estimated)} estimated: total_s not run")
    elif min(len(side.ok) for side in sides) == 1:
        notes.append("no interval: n = 1")
    return notes
