"""How a study stands: `snakemake --summary -- all | python -m planning.status`."""

import csv
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Literal

from lineage.logs import is_written_now
from planning.progress import duration_s, status_of

State = Literal["done", "running", "stale", "missing"]
KINDS = {"runs": "runs", "breakdown": "breakdowns", "tables": "tables", "figures": "figures", "data": "data files"}
MEASURED = ("runs", "breakdown")


@dataclass(frozen=True, kw_only=True)
class Item:
    """One file that a study is to have."""

    path: Path
    state: State

    @property
    def kind(self) -> str:
        """The folder below the results folder."""
        return self.path.parts[1]


def read_summary(lines: Iterable[str]) -> list[Item]:
    """Return the files of `snakemake --summary`, of a run its record alone.

    A file is running when its job is writing its log, stale when something that it depends on has changed.
    """
    rows = csv.DictReader(lines, delimiter="\t")
    items = [Item(path=Path(row["output_file"]), state=_state(row)) for row in rows]
    return [item for item in items if item.kind not in MEASURED or item.path.suffix == ".json"]


def _state(row: dict[str, str]) -> State:
    path = Path(row["output_file"])
    if path.parts[1] in MEASURED and is_written_now(log_of(path)):
        return "running"
    if row["status"] == "missing":
        return "missing"
    return "done" if row["plan"] == "no update" else "stale"


def log_of(record: Path) -> Path:
    """Return the log of the job that writes a record."""
    results, *rest = record.parts
    return Path(results, "logs", *rest).with_suffix(".log")


def report(items: list[Item]) -> str:
    """Return one line for each kind of file, the measurements that are at work, and how long the rest will take."""
    kinds = [kind for kind in KINDS if any(item.kind == kind for item in items)]
    counts = [_counted(KINDS[kind], [item for item in items if item.kind == kind]) for kind in kinds]
    running = [f"at work: {_name(item.path)}" for item in items if item.state == "running"]
    return "\n".join([*counts, *running, _rest([item for item in items if item.kind in MEASURED])])


def _counted(name: str, items: list[Item]) -> str:
    counts = Counter(item.state for item in items)
    states: tuple[State, ...] = ("running", "missing", "stale")
    others = [f"{counts[state]} {state}" for state in states if counts[state]]
    return f"{name}: " + ", ".join([f"{counts['done']} of {len(items)} done", *_not_ok(items), *others])


def _not_ok(items: list[Item]) -> list[str]:
    """Return how many of the measurements that are done did not end well, by their status."""
    recorded = [status_of(item.path) for item in items if item.kind in MEASURED and item.state == "done"]
    counts = Counter(status for status in recorded if status not in ("ok", None))
    if not counts:
        return []
    words = " and ".join(f"{count} {status}" for status, count in sorted(counts.items()))
    return [words.replace(" ", " of them ", 1) + " (make retry)"]


def _name(record: Path) -> str:
    _, kind, recipe, model, device, _, repeat = record.parts
    return f"{'breakdown of ' if kind == 'breakdown' else ''}{recipe} {model} {device} #{repeat.removesuffix('.json')}"


def _rest(items: list[Item]) -> str:
    left = [item.path for item in items if item.state != "done"]
    if not left:
        return "nothing is left to measure"
    what = f"{len(left)} measurement{'s' if len(left) > 1 else ''} left"
    times = {item.path: duration_s(item.path) for item in items if item.state == "done"}
    known = {path: seconds for path, seconds in times.items() if seconds is not None}
    if not known:
        return f"{what}; the time for that is not known before the first one is done"
    minutes = sum(_expected_s(path, known) for path in left) / 60
    return f"{what}, about {minutes:.0f} min by the time of those that are done"


def _expected_s(record: Path, known: dict[Path, float]) -> float:
    """Return the mean duration of the measurements that are most alike."""
    for likeness in _LIKENESSES:
        alike = [seconds for path, seconds in known.items() if likeness(path.parts) == likeness(record.parts)]
        if alike:
            return fmean(alike)
    return fmean(known.values())


# Parts of a path: results, kind, recipe, model, device, key, repeat.
_LIKENESSES: tuple[Callable[[tuple[str, ...]], tuple[str, ...]], ...] = (
    lambda parts: parts[1:5],
    lambda parts: (parts[1], parts[4]),
    lambda parts: (parts[1],),
)


if __name__ == "__main__":
    print(report(read_summary(sys.stdin)))
