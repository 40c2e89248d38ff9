"""How a study stands: `snakemake --summary -- all | python -m planning.status [overlay ...]`."""

import csv
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from lineage.logs import is_written_now
from planning.progress import status_of
from planning.rest import device_budgets, rest

State = Literal["done", "running", "stale", "missing"]
KINDS = {"runs": "runs", "breakdown": "breakdowns", "tables": "tables", "figures": "figures", "data": "data files"}
MEASURED = ("runs", "breakdown")
DEFAULT = "config/config.yaml"


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


def report(items: list[Item], budgets_s: Mapping[str, float | None]) -> str:
    """Return one line for each kind of file, the measurements that are at work, and how long the rest will take.

    `budgets_s` is the budget of each device in seconds of training.
    """
    kinds = [kind for kind in KINDS if any(item.kind == kind for item in items)]
    counts = [_counted(KINDS[kind], [item for item in items if item.kind == kind]) for kind in kinds]
    running = [f"at work: {_name(item.path)}" for item in items if item.state == "running"]
    return "\n".join([*counts, *running, rest(_paths(items, done=False), _paths(items, done=True), budgets_s)])


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


def _paths(items: Iterable[Item], done: bool) -> list[Path]:
    return [item.path for item in items if item.kind in MEASURED and (item.state == "done") == done]


if __name__ == "__main__":
    budgets_s = device_budgets(map(Path, [DEFAULT, *sys.argv[1:]]))
    print(report(read_summary(sys.stdin), budgets_s))
