"""What is to be said at the end of a study about runs that did not end well."""

import shlex
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from planning.progress import status_of
from planning.study import PlannedRun

SHOWN = 5


def endings(runs: Sequence[PlannedRun], results: Path, overlays: Sequence[str]) -> str | None:
    """Return one line on the runs and breakdowns whose record is not ok, None when there are none.

    `overlays` are the configuration files of the study besides the default one.
    """
    statuses = {run: status for run in runs if (status := status_of(results / f"{run.stem}.json"))}
    bad = [run for run, status in statuses.items() if status != "ok"]
    if not bad:
        return None
    more = f" and {len(bad) - SHOWN} more" if len(bad) > SHOWN else ""
    named = ", ".join(f"{_name(run)} {statuses[run]}" for run in bad[:SHOWN])
    return (
        f"{_counted(bad, statuses)} did not end well: {named}{more}. The reasons stand in "
        f"results/tables, column status_reason; `{_retry(overlays)}` runs them again."
    )


def _counted(bad: Iterable[PlannedRun], recorded: Iterable[PlannedRun]) -> str:
    """Return such as `1 of 2 runs and 2 of 2 breakdowns`; what ended well without exception is left out."""
    some, every = Counter(map(_kind, bad)), Counter(map(_kind, recorded))
    return " and ".join(f"{some[kind]} of {every[kind]} {kind}{'s' if every[kind] > 1 else ''}" for kind in some)


def _kind(run: PlannedRun) -> str:
    return "breakdown" if run.stem.startswith("breakdown/") else "run"


def _retry(overlays: Sequence[str]) -> str:
    return f"make retry CONFIG={shlex.quote(' '.join(overlays))}" if overlays else "make retry"


def _name(run: PlannedRun) -> str:
    what = "breakdown of " if _kind(run) == "breakdown" else ""
    return f"{what}{run.recipe}/{run.model}/{run.device} #{run.repeat}"
