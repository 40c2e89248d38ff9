"""Sentences that tables and figures share: which machines, which runs are absent, what to do when nothing is there."""

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

NO_RUN = (
    "No run has ended well yet. Make the runs with make run; results/tables/runs.csv says of each planned run whether "
    "it is missing, ran out of memory, diverged or was refused, and why."
)
GET_GPU = (
    "run it on a machine with a GPU (study.devices: auto takes the first one that works), or name a device with "
    "gpus: 1 under study.devices."
)
BARS = "Bars: confidence intervals, hidden where shorter than the mark."
NO_BARS = "Marks without bar: one process on a side (no interval)."


def failures(status: pd.Series) -> str:
    """What the runs that did not end well ended as, such as `1 diverged, 2 missing`; empty when all are ok."""
    counts = status[status != "ok"].value_counts(sort=False)
    return ", ".join(f"{count} {name}" for name, count in counts.items())


def disturbed_runs(disturbed: pd.Series) -> str:
    """How many runs were disturbed in too many of their windows, such as `2 of 5 runs`; empty when none was."""
    count = int((disturbed == "True").sum())
    return f"{count} of {len(disturbed)} runs" if count else ""


def absent_runs(runs: pd.DataFrame) -> list[str]:
    """One line on the runs that are not shown, or none."""
    failed = failures(runs["status"])
    return [f"Not shown: {failed} of {len(runs)} runs."] if failed else []


def machine_lines(names: Mapping[str, Sequence[str]]) -> list[str]:
    """Device to processor names as lines `device, device: name`, devices of one machine together."""
    devices: dict[str, list[str]] = {}
    for device, machines in names.items():
        if machines:
            devices.setdefault(" / ".join(machines), []).append(device)
    return [f"{', '.join(several)}: {machine}" for machine, several in devices.items()]


def interval_lines(values: pd.Series, lows: pd.Series) -> list[str]:
    """What bars and missing bars mean, where there are any."""
    shown, barred = values.notna(), lows.notna()
    return [BARS] * bool(barred.any()) + [NO_BARS] * bool((shown & ~barred).any())


def reasons(rows: Iterable[tuple[str, str]], limit: int = 4) -> str:
    """The first different notes of a table, each after its model."""
    different = {note: model for model, note in reversed(list(rows))}
    return " ".join(f"{model}: {note}." for note, model in list(different.items())[::-1][:limit])
