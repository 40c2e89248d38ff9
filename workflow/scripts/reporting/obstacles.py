"""Why runs may not be compared: one is absent, or they did not do the same work in the same place."""

import re
from collections.abc import Mapping, Sequence

import pandas as pd

from reporting.pairs import NO_CPU, NO_GPU, Pair, Side
from reporting.tables import KNOBS, known

# What must be one value over all runs of a pair, and what a reader calls it.
SAME_ON_BOTH = {
    "cpu_name": "processor of the machine",
    "driver": "GPU driver",
    "python": "Python version",
    "torch": "torch version",
    "torchvision": "torchvision version",
    "numpy": "numpy version",
    "pillow": "Pillow version",
    "onednn": "oneDNN version",
    "torch_build_sha256": "torch's build settings",
    "cuda": "CUDA version",
    "cudnn": "cuDNN version",
    "dataset_sha256": "dataset content",
    "code_sha256": "measuring code",
    "parameters": "parameters",
    "training_flop_per_sample": "training_flop_per_sample",
    "images_total": "images_total",
    "epochs": "epochs",
    "batch_size": "batch_size",
    "optimizer": "optimizer",
    "learning_rate": "learning_rate",
    "lr_step_size": "lr_step_size",
    "lr_gamma": "lr_gamma",
    "crop_padding": "crop_padding",
    "horizontal_flip": "horizontal_flip",
    "loader_workers": "loader_workers",
    "precision": "precision",
    "protocol_version": "protocol_version",
}
# What must be one value over the runs of each side; the sides may differ.
SAME_ON_SIDE = {
    "shared": "sharing of the machine with other runs",
    "device_name": "device",
    "physical_cores": "physical_cores",
    "threads_effective": "threads_effective",
    "matmul_tf32": "matmul_tf32",
    "convolution_tf32": "convolution_tf32",
}
# What two recipes may differ in on one device: knobs of theirs, and what follows from these.
OF_A_RECIPE = frozenset(("precision", "loader_workers", "matmul_tf32", "convolution_tf32"))
KNOB = re.compile(rf"(?:^|; )({'|'.join(KNOBS)}): ")


def obstacle(pair: Pair) -> str | None:
    """Why this pair gives no speed-up, in words, or None; it starts with `refused` when the runs are unlike."""
    return _without_side(pair) or _unlike(pair.sides, SAME_ON_BOTH, SAME_ON_SIDE)


def recipe_obstacle(sides: Sequence[Side]) -> str | None:
    """The same of one device: why one recipe has no number (one side), or two are not compared (two sides)."""
    labels = SAME_ON_BOTH | SAME_ON_SIDE
    on_both = {column: label for column, label in labels.items() if column not in OF_A_RECIPE}
    on_side = {column: label for column, label in labels.items() if column in OF_A_RECIPE}
    return _unlike(sides, on_both, on_side)


def _unlike(sides: Sequence[Side], on_both: Mapping[str, str], on_side: Mapping[str, str]) -> str | None:
    return _without_run(sides) or _mixed(sides) or _different(sides, on_both, on_side)


def obstacle_of_cpus(pair: Pair) -> str | None:
    """The same of two CPU devices, on which the same knobs of the recipe must work too."""
    return obstacle(pair) or _refused(_knobs(pair.ok))


def unlike_processes(rows: pd.DataFrame) -> str | None:
    """In what rows differ that should be repeats of one process, in words; a column that they lack says nothing."""
    labels = {column: label for column, label in (SAME_ON_BOTH | SAME_ON_SIDE).items() if column in rows}
    return _refused([*_hosts(rows), *_several(rows, labels), *_knobs(rows)], "processes")


def _without_side(pair: Pair) -> str | None:
    if pair.gpu.device is None:
        return NO_GPU
    return NO_CPU if pair.cpu.device is None else None


def _without_run(sides: Sequence[Side]) -> str | None:
    empty = [f"no ok run on {side.device} ({side.failures})" for side in sides if side.ok.empty]
    return "; ".join(empty) or None


def _mixed(sides: Sequence[Side]) -> str | None:
    mixed = [str(side.device) for side in sides if side.mode == "mixed"]
    return f"refused: {', '.join(mixed)} has measured and estimated runs" if mixed else None


def _different(sides: Sequence[Side], on_both: Mapping[str, str], on_side: Mapping[str, str]) -> str | None:
    """Empty values say nothing: a CPU run may know no CUDA version."""
    ok = pd.concat([side.ok for side in sides])
    found = [*_hosts(ok), *_several(ok, on_both)]
    for side in sides:
        found += [f"{text} of {side.device}" for text in [*_several(side.ok, on_side), *_knobs(side.ok)]]
    return _refused(found)


def _refused(found: list[str], what: str = "runs") -> str | None:
    return f"refused: the {what} differ in {'; '.join(found)}" if found else None


def _knobs(runs: pd.DataFrame) -> list[str]:
    """Which knobs do not work, where the runs differ in that; here an empty value says that all of them work."""
    sets = dict.fromkeys(_names(reasons) for reasons in runs["inactive"].fillna(""))
    return [f"knobs that do not work ({', '.join(sets)})"] if len(sets) > 1 else []


def _names(reasons: str) -> str:
    """The knobs of a text such as `graph: a reason; compile: another`; a reason may hold a path that always differs."""
    return " and ".join(KNOB.findall(reasons)) or "none"


def _hosts(runs: pd.DataFrame) -> list[str]:
    """Hosts may differ within one Slurm allocation."""
    allocation = runs["slurm_job_id"]
    together = allocation.notna().all() and allocation.nunique() == 1
    return [] if together else _several(runs, {"host": "host"})


def _several(runs: pd.DataFrame, labels: Mapping[str, str]) -> list[str]:
    values = {label: known(runs[column]) for column, label in labels.items()}
    return [
        f"{label} ({', '.join(_brief(value) for value in several)})"
        for label, several in values.items()
        if len(several) > 1
    ]


def _brief(value: object) -> str:
    text = f"{value:.12g}" if isinstance(value, float) else str(value)
    return text if len(text) < 64 else f"{text[:10]}..."
