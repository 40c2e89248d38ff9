"""Name the records that did not end well, one path a line: `python -m reporting.retry results/tables/runs.csv`.

With `--config [overlay ...]` it says nothing unless these records are not of the study of these configuration files,
whose `snakemake --summary` it reads.
"""

import argparse
import csv
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from lineage.job import UserError


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


def require_planned(records: Iterable[str], summary: Iterable[str], overlays: Sequence[str]) -> None:
    """Raise UserError where a record is none of the files that a summary of the engine lists for these overlays."""
    planned = {row["output_file"] for row in csv.DictReader(summary, delimiter="\t")}
    foreign = [record for record in records if record not in planned]
    if foreign:
        asked = f"CONFIG={' '.join(overlays)}" if overlays else "the default configuration"
        raise UserError(
            f"{foreign[0]} is to run again, but {asked} asks for no such run with today's settings and code: name the "
            "configuration files of the last study, `make retry CONFIG=...`; nothing was started."
        )


def main(arguments: Sequence[str]) -> int:
    """Print the records, one a line, or that there is nothing to run again; return 1 where they are another study's."""
    options = _parser().parse_args(arguments)
    records = not_ok(options.runs)
    if options.config is None:
        _name(records, options.runs)
        return 0
    try:
        require_planned(records, sys.stdin, options.config)
    except UserError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _name(records: Sequence[str], runs: Path) -> None:
    if records:
        print("\n".join(records))
    else:
        reason = "every run of the last study ended well or was never made" if runs.exists() else f"no {runs} yet"
        print(f"There is nothing to run again: {reason}. `make run` runs what is missing.", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m reporting.retry", description="Name what did not end well.")
    parser.add_argument("runs", type=Path, help="results/tables/runs.csv")
    parser.add_argument("--config", nargs="*", help="overlays; require that their study has these records")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
