"""Name the records that did not end well: `python -m reporting.retry results/tables/runs.csv`, one path a line."""

import csv
import sys
from pathlib import Path


def not_ok(runs: Path) -> list[str]:
    """Return the records of the last study (runs.csv, breakdown.csv) that ended out of memory, diverged or refused."""
    if not runs.exists():
        return []
    with runs.open(encoding="utf-8", newline="") as table:
        rows = [row for row in csv.DictReader(table) if row["status"] not in ("ok", "missing")]
    folder = runs.parent.parent
    paths = ["runs/{recipe}/{model}/{device}/{key}/{repeat}.json".format(**row) for row in rows]
    return [(folder / path).as_posix() for path in [*paths, *_breakdowns_not_ok(runs.with_name("breakdown.csv"))]]


def _breakdowns_not_ok(breakdown: Path) -> list[str]:
    if not breakdown.exists():
        return []
    with breakdown.open(encoding="utf-8", newline="") as table:
        return [
            "breakdown/{recipe}/{model}/{device}/{key}/".format(**row) + f"{repeat}.json"
            for row in csv.DictReader(table)
            for repeat in row["failed_repeats"].split()
        ]


def main(runs: Path) -> None:
    """Print the records, one a line, or say that there is nothing to run again."""
    records = not_ok(runs)
    if records:
        print("\n".join(records))
    else:
        reason = "every run of the last study ended well or was never made" if runs.exists() else f"no {runs} yet"
        print(f"There is nothing to run again: {reason}. `make run` runs what is missing.", file=sys.stderr)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
