"""How far a download is: one line rewritten on a terminal, a plain line now and then elsewhere."""

import sys
import time
from collections.abc import Callable

MEGABYTE = 1_000_000
TERMINAL_INTERVAL_S = 0.2
PLAIN_INTERVAL_S = 10.0
LINE_WIDTH = 79  # characters; covers a longer line written before


class Progress:
    """Counts bytes and says so on standard error. Has the methods that pooch asks of a progress bar.

    `total` is the number of bytes expected, 0 where it is unknown. After `stop` the next update raises TimeoutError,
    which ends a download in another thread.
    """

    def __init__(self, label: str, total: int = 0, clock: Callable[[], float] = time.perf_counter) -> None:
        self.label = label
        self.total = total
        self.done = 0
        self.stopped = False
        self.clock = clock
        self.started = self.spoken = clock()
        self.in_line = False
        self.terminal = bool(getattr(sys.stderr, "isatty", bool)())

    def update(self, count: int) -> None:
        """Add `count` bytes; pooch adds whole chunks, also for a last, shorter one."""
        self.reach(self.done + count)

    def reach(self, done: int) -> None:
        """Set the number of bytes that have arrived."""
        if self.stopped:
            raise TimeoutError(f"{self.label} ran past its time")
        self.done = min(done, self.total) if self.total else done
        interval_s = TERMINAL_INTERVAL_S if self.terminal else PLAIN_INTERVAL_S
        if self.clock() - self.spoken >= interval_s:
            self._say(end="\r" if self.terminal else "\n")

    def reset(self) -> None:
        """Start counting anew, as pooch does at the end, to add the total; without a total the count stands."""
        self.done = 0 if self.total else self.done

    def stop(self) -> None:
        """Make the next update raise, and leave the line that was being rewritten."""
        self.stopped = True
        if self.in_line:
            self._say(end="\n")

    def close(self) -> None:
        """Say where the count ended."""
        self._say(end="\n")

    def line(self) -> str:
        """Return the state in words: MB done of total, and MB/s since the start."""
        rate = self.done / max(self.clock() - self.started, 1e-9) / MEGABYTE
        of_total = f" of {self.total / MEGABYTE:.1f}" if self.total else ""
        return f"{self.label}: {self.done / MEGABYTE:.1f}{of_total} MB, {rate:.1f} MB/s"

    def _say(self, end: str) -> None:
        self.spoken, self.in_line = self.clock(), end == "\r"
        print(self.line().ljust(LINE_WIDTH if self.terminal else 0), end=end, file=sys.stderr, flush=True)
