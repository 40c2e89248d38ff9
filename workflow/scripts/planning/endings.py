"""What is to be said at the end of a study about runs that did not end well."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from planning.progress import status_of
from planning.study import PlannedRun

SHOWN = 5


def endings(runs: Sequence[PlannedRun], results: Path, overlays: Sequence[str]) -> str | None:
    """Return one line on the runs and breakdowns whose record is not ok, None when there are none.

    `overlays` are the configuration files of the study besides the default one.
    """
    found = [(run, status) for run in runs if (status := status_of(results / f"{run.stem}.json"))]
    bad = [f"{_name(run)} {status}" for run, status in found if status != "ok"]
    if not bad:
        return None
    more = f" and {len(bad) - SHOWN} more" if len(bad) > SHOWN else ""
    return (
        f"{len(bad)} of {len(found)} runs did not end well: {', '.join(bad[:SHOWN])}{more}. The reasons stand in "
        f"results/tables, column status_reason; `{_retry(overlays)}` runs them again."
    )


def _retry(overlays: Sequence[str]) -> str:
    return f"make retry CONFIG={shlex.quote(' '.join(overlays))}" if overlays else "make retry"


def _name(run: PlannedRun) -> str:
    what = "breakdown of " if run.stem.startswith("breakdown/") else ""
    return f"{what}{run.recipe}/{run.model}/{run.device} #{run.repeat}"
