"""A copy of what a job prints, for its log file."""

import contextlib
import re
import sys
import traceback
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO, cast

from lineage.locks import locked

_TERMINAL_CODES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")


class LineLog:
    """A log file in which each state of a line that the terminal rewrites stands on a line of its own."""

    def __init__(self, path: Path) -> None:
        """Start the file anew, with its folder; raises OSError where that is impossible."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("w", encoding="utf-8", errors="backslashreplace", buffering=1)
        locked(self._file)  # which tells others that this log is being written
        self._returned = False  # a carriage return was the last thing written
        self.line_open = False

    def write(self, text: str) -> None:
        """Append text without colours and cursor movements; does nothing after `close`."""
        if not self._file.closed:
            for piece in re.findall(r"\r|\n|[^\r\n]+", _TERMINAL_CODES.sub("", text)):
                self._put(piece)

    def close(self) -> None:
        """End the last line and close the file."""
        if self.line_open:
            self.write("\n")
        self._file.close()

    def _put(self, piece: str) -> None:
        if piece == "\r" or (self._returned and piece.isspace() and piece != "\n"):
            self._returned = True
            return
        line_ends = self._returned and self.line_open and piece != "\n"
        self._file.write(f"\n{piece}" if line_ends else piece)
        self._returned, self.line_open = False, piece != "\n"


def is_written_now(path: Path) -> bool:
    """Return whether a living job is writing this log; False where the system has no locks."""
    try:
        with path.open() as log:
            return not locked(log)
    except OSError:
        return False


class Tee:
    """A text stream that is the terminal's in all but one thing: what is written goes to the log as well."""

    def __init__(self, terminal: TextIO, log: LineLog) -> None:
        """Both stay owned by the caller."""
        self._terminal, self._log = terminal, log

    def write(self, text: str) -> int:
        """Write to the terminal, unchanged, then to the log."""
        count = self._terminal.write(text)
        self._log.write(text)
        return count

    def writelines(self, lines: Iterable[str]) -> None:
        """Write each line to both."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> object:
        """Answer isatty, fileno, encoding and the rest as the terminal does."""
        return getattr(self._terminal, name)


@contextlib.contextmanager
def copied_to(path: Path | None) -> Iterator[None]:
    """Copy sys.stdout and sys.stderr to this file within the block, and the traceback of what ends the block early.

    A line that the block leaves open, as a progress line is, ends with it, on the terminal too.
    """
    if path is None:
        yield
        return
    log = LineLog(path)
    out, err = (cast("TextIO", Tee(stream, log)) for stream in (sys.stdout, sys.stderr))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            yield
        except BaseException:
            with contextlib.suppress(OSError):  # the disk may be full, which is then the error to report
                _end_line(log)
                log.write(traceback.format_exc())
                log.close()
            raise
        _end_line(log)
        log.close()


def _end_line(log: LineLog) -> None:
    if log.line_open:  # whatever the terminal shows next must not stand behind a progress line
        sys.stderr.write("\n")
