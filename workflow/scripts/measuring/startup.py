"""What happens before the first timed batch, in seconds since the process started, part by part."""

import time

import psutil


class Startup:
    """Collects the parts of the start-up time; the first part began when the process did."""

    def __init__(self) -> None:
        """Read the age of this process."""
        self._origin = time.perf_counter() - (time.time() - psutil.Process().create_time())
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
