"""Commands: `python -m lineage verify [results]` and `python -m lineage trace FILE`."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from lineage.job import UserError
from lineage.trace import trace
from lineage.verify import verify


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status: 0, or 1 where something does not match or does not exist."""
    options = _parser().parse_args(arguments)
    try:
        return _COMMANDS[options.command](options)
    except UserError as error:
        print(error, file=sys.stderr)
        return 1


def _verify(options: argparse.Namespace) -> int:
    verdict = verify(options.results)
    print(*verdict.notes, *verdict.problems, verdict.summary, sep="\n")
    return 1 if verdict.problems else 0


def _trace(options: argparse.Namespace) -> int:
    if options.file is None:
        raise UserError("No file is named: name a result, such as `make trace FILE=results/figures/speedup.png`.")
    print(trace(options.file), end="")
    return 0


_COMMANDS = {"verify": _verify, "trace": _trace}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m lineage", description="Check where result files come from.")
    commands = parser.add_subparsers(dest="command", required=True)
    checking = commands.add_parser("verify", help="hash everything again and name what does not match")
    checking.add_argument("results", nargs="?", type=Path, default=Path("results"), help="folder (default: results)")
    tracing = commands.add_parser("trace", help="print the tree from a file back to its sources")
    tracing.add_argument("file", nargs="?", type=Path, help="a result file")
    return parser


if __name__ == "__main__":
    sys.exit(main())
