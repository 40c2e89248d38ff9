"""What happens before the first timed batch, in seconds since the process started, part by part."""

import os
import time
from pathlib import Path

import psutil

OWN_STATE = Path("/proc/self/stat")


class Startup:
    """Collects the parts of the start-up time; the first part began when the process did."""

    def __init__(self) -> None:
        """Read the age of this process."""
        self._origin = time.perf_counter() - process_age_s()
        self._last = self._origin
        self.parts_s: dict[str, float] = {}

    def leave_out(self, seconds: float) -> None:
        """Take seconds out of the current part that belong to another run, such as waiting for its end."""
        self._origin, self._last = self._origin + seconds, self._last + seconds

    def finish(self, part: str) -> None:
        """End the current part under this name and begin the next one."""
        now = time.perf_counter()
        self.parts_s[part], self._last = now - self._last, now

    @property
    def startup_s(self) -> float:
        """Seconds from the start of the process to the end of the last finished part."""
        return self._last - self._origin


def process_age_s() -> float:
    """Return the seconds since this process started, to the tick of 10 ms.

    Linux counts both from the boot of the machine, so that a wall clock that is set meanwhile does not matter; where
    there is no such count, the wall clock has to do.
    """
    try:
        fields = OWN_STATE.read_text(encoding="utf-8").rpartition(")")[2].split()  # the name before may hold anything
        since_boot_s = int(fields[19]) / os.sysconf("SC_CLK_TCK")  # field 22 of proc(5), starttime
        return time.clock_gettime(time.CLOCK_BOOTTIME) - since_boot_s
    except (OSError, AttributeError):
        return time.time() - psutil.Process().create_time()
