"""Name the records that did not end well: `python -m reporting.retry results/runs`, one path a line.

Removing what it prints makes the next run measure those runs again.
"""

import json
import sys
from pathlib import Path


def not_ok(folder: str | Path) -> list[Path]:
    """Records under a folder {recipe}/{model}/{device}/{key}/{repeat}.json whose status is not ok, or unreadable."""
    records = sorted(path for path in Path(folder).glob("*/*/*/*/*.json") if path.stem.isdigit())
    return [path for path in records if _status(path) != "ok"]


def _status(path: Path) -> str | None:
    try:
        return str(json.loads(path.read_text(encoding="utf-8"))["status"])
    except (ValueError, KeyError, TypeError):
        return None


def main(arguments: list[str]) -> int:
    """Print the paths; 0 also when there are none, 2 without exactly one folder."""
    if len(arguments) != 1:
        print("expected one folder of records, for example results/runs", file=sys.stderr)
        return 2
    for path in not_ok(arguments[0]):
        print(path.as_posix())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
