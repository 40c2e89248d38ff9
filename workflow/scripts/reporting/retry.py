"""Name the records that did not end well: `python -m reporting.retry results/tables/runs.csv`, one path a line."""

import csv
import sys
from pathlib import Path


def not_ok(runs: Path) -> list[str]:
    """Return the records of the last study (its runs.csv) that ended out of memory, diverged or refused."""
    if not runs.exists():
        return []
    with runs.open(encoding="utf-8", newline="") as table:
        rows = [row for row in csv.DictReader(table) if row["status"] not in ("ok", "missing")]
    folder = runs.parent.parent / "runs"
    return [(folder / "{recipe}/{model}/{device}/{key}/{repeat}.json".format(**row)).as_posix() for row in rows]


if __name__ == "__main__":
    print("\n".join(not_ok(Path(sys.argv[1]))))
