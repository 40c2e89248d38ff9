"""How far a study is: what was planned, what is recorded, and how long the rest may take."""

import json
from datetime import datetime
from pathlib import Path
from statistics import fmean

from planning.study import PlannedRun


def write_plan(runs: list[PlannedRun], path: Path) -> None:
    """Write the paths of the planned records, without their ending, for the runs to count."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".part")
    try:
        temporary.write_text(json.dumps([run.stem for run in runs], indent=0) + "\n", encoding="utf-8")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def study_progress(plan: Path, results: Path) -> str | None:
    """Return one line on the study that `plan` lists, None when there is no plan that can be read."""
    try:
        stems = json.loads(plan.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    durations = {stem: duration_s(results / f"{stem}.json") for stem in stems}
    done = [stem for stem, seconds in durations.items() if seconds is not None]
    left_s = sum(_expected_s(stem, durations) for stem, seconds in durations.items() if seconds is None)
    rest = f", about {left_s / 60:.0f} min for the rest" if len(done) < len(durations) else ""
    return f"study: {len(done)} of {len(durations)} runs done{rest}"


def duration_s(record: Path) -> float | None:
    """Return the seconds from the start to the end of a recorded job, None where no record can be read."""
    try:
        content = json.loads(record.read_text(encoding="utf-8"))
        spent = datetime.fromisoformat(content["ended"]) - datetime.fromisoformat(content["started"])
        return max(0.0, spent.total_seconds())  # a clock may have been set back in between
    except (OSError, ValueError, KeyError, TypeError):
        return None


def status_of(record: Path) -> str | None:
    """Return the status of a record, `damaged` where that cannot be read, None where there is no record."""
    try:
        return str(json.loads(record.read_text(encoding="utf-8"))["status"])
    except OSError:
        return None
    except (ValueError, KeyError, TypeError):
        return "damaged"


def _expected_s(stem: str, durations: dict[str, float | None]) -> float:
    """Return the mean duration of the recorded runs of the same model and device, otherwise of all."""
    known = {other: seconds for other, seconds in durations.items() if seconds is not None}
    alike = [seconds for other, seconds in known.items() if other.split("/")[:4] == stem.split("/")[:4]]
    return fmean(alike or known.values() or [0.0])
