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
GET_CPU = "name a device with gpus: 0 under study.devices, such as cpu."
PREDICTED = "Thin bars: 95 % prediction intervals; hidden where shorter."
SPANNED = (
    "Thin bars: from the lowest to the highest end of the 95 % prediction intervals of the processes; hidden where "
    "shorter."
)
BOUNDS = "Thin bars: bounds from the 95 % prediction intervals; hidden where shorter."
NO_BARS = "Marks without bar: too few samples for an interval."


def failures(status: pd.Series) -> str:
    """What the runs that did not end well ended as, such as `1 diverged, 2 missing`; empty when all are ok."""
    counts = status[status != "ok"].value_counts(sort=False)
    return ", ".join(f"{count} {name}" for name, count in counts.items())


def disturbed_runs(disturbed: pd.Series) -> str:
    """How many runs were disturbed in too many of their windows, such as `2 of 5 runs`; empty when none was."""
    count = int((disturbed == "True").sum())
    return f"{count} of {len(disturbed)} runs" if count else ""


def disturbed_devices(runs: pd.DataFrame) -> list[str]:
    """One line on the devices with runs that other work disturbed; epochs.csv names the windows."""
    ok = runs[runs["status"] == "ok"]
    found = {str(device): disturbed_runs(rows["disturbed"]) for device, rows in ok.groupby("device", sort=False)}
    named = [f"{device} ({count})" for device, count in found.items() if count]
    return [f"Disturbed by other work: {', '.join(named)}."] if named else []


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


def absent_side(runs: pd.DataFrame, aim: str) -> str:
    """Why a study of these runs compares nothing, and how to get what is missing.

    Args:
        runs: rows of runs.csv, also of runs without record.
        aim: what the reader wants, such as `get a speed-up`.
    """
    if not (runs["gpus"] >= 1).any():
        return f"There is no GPU run in this study. To {aim}, {GET_GPU}"
    if not (runs["gpus"] == 0).any():
        return f"There is no CPU run in this study. To {aim}, {GET_CPU}"
    return NO_RUN


def percent(share: float) -> str:
    """A share such as 0.95 as `95 %`."""
    return f"{100 * share:.4g} %"


def count_line(counts: Iterable[float], what: str) -> str:
    """How many processes stand behind each mark or curve: `n = 5 processes a mark.`"""
    different = sorted({int(count) for count in counts})
    if different == [1]:
        return f"n = 1 process {what}."
    return f"n = {' to '.join(str(n) for n in dict.fromkeys((different[0], different[-1])))} processes {what}."


def interval_line(share: float, method: str) -> str:
    """What thick bars are."""
    return f"Bars: {percent(share)} intervals, {method}; hidden where shorter."


def reasons(rows: Iterable[tuple[str, str]], limit: int = 4) -> str:
    """The first different notes of a table, each after its models."""
    different: dict[str, dict[str, None]] = {}
    for model, note in rows:
        different.setdefault(note, {})[model] = None
    return " ".join(f"{_listed(list(models))}: {note}." for note, models in list(different.items())[:limit])


def _listed(names: list[str], limit: int = 4) -> str:
    more = len(names) - limit
    return f"{', '.join(names[:limit])} and {more} more" if more > 0 else ", ".join(names)
