"""A slow sign of life from runs that say nothing for a while, as in an epoch that takes minutes.

It lives in the workflow engine's process, listens to the engine's own log of jobs and asks the file system when a run
last wrote to its log: nothing of it happens in the process that is timed.
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

EVERY_S = 30.0


@dataclass(frozen=True, kw_only=True)
class _Job:
    name: str
    limit: str
    log: Path
    started_s: float


class Heartbeat(logging.Handler):
    """Knows from the engine's log which runs are at work, and names those that have been silent for `every_s`."""

    def __init__(
        self,
        say: Callable[[str], None],
        budgets_s: Mapping[str, float | None],
        every_s: float = EVERY_S,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        """`say` takes one line; `budgets_s` holds the budget of each device in seconds of training."""
        super().__init__()
        self._say, self._budgets_s, self._every_s, self._clock = say, budgets_s, every_s, clock
        self._jobs: dict[Any, _Job] = {}

    def start(self, logger: logging.Logger) -> None:
        """Listen to the engine's logger, and speak until this process ends."""
        logger.addHandler(self)
        threading.Thread(target=self._beat_for_ever, name="heartbeat", daemon=True).start()

    def emit(self, record: logging.LogRecord) -> None:
        """Note that a job begins or ends."""
        event = vars(record)
        if event.get("event") == "job_info" and "repeat" in event["wildcards"]:
            self._jobs[event["jobid"]] = self._job(event)
        elif event.get("event") in ("job_finished", "job_error"):
            self._jobs.pop(event.get("job_id", event.get("jobid")), None)

    def beat(self) -> None:
        """Name the runs whose log has not grown for `every_s`."""
        for job in list(self._jobs.values()):
            seconds = self._clock() - job.started_s
            if min(seconds, _silent_s(job.log)) >= self._every_s:
                self._say(f"{job.name}: still running after {seconds:.0f} s{job.limit}")

    def _job(self, event: Mapping[str, Any]) -> _Job:
        run, what = event["wildcards"], "breakdown " * event["rule_name"].startswith("breakdown")
        budget_s = None if what else self._budgets_s[run["device"]]
        return _Job(
            name=f"{what}{run['recipe']} {run['model']} {run['device']} #{run['repeat']}",
            limit="" if budget_s is None else f", at most about {budget_s:g} s of training",
            log=Path(event["log"][0]),
            started_s=self._clock(),
        )

    def _beat_for_ever(self) -> None:
        while True:
            time.sleep(self._every_s)
            with suppress(Exception):  # a sign of life is worth no study
                self.beat()


def _silent_s(log: Path) -> float:
    """Return the seconds since the last line; file systems keep wall clock, and a clock set back gives a beat more."""
    try:
        return abs(time.time() - log.stat().st_mtime)
    except OSError:
        return float("inf")
