"""Counters of the host that show whether something else took its CPUs: read before and after a window, never inside."""

import os
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from measuring.cgroups import own_groups
from measuring.cores import affinity, with_siblings
from measuring.readable import read_text
from measuring.usage import Usage, read_usage

STAT = Path("/proc/stat")
PRESSURE = Path("/proc/pressure/cpu")
BUSY = (0, 1, 2, 5, 6)  # of a line of /proc/stat: user, nice, system, irq, softirq; guests are part of user
STEAL, ALL = 7, 8  # guest time follows the first eight fields and is counted in them already


@dataclass(frozen=True, kw_only=True)
class Counters:
    """Seconds (CPU seconds where several CPUs add up) since some moment that is the same for two readings."""

    clock_s: float
    own: Usage
    busy_cpu_s: float | None
    """Of the CPUs that this process may run on and of the other threads of their cores, whoever used them."""
    steal_cpu_s: float | None
    """Of the CPUs that this process may run on, given to other virtual machines."""
    all_cpu_s: float | None
    """Of the CPUs that this process may run on: busy, idle and stolen."""
    throttled_s: float | None
    """CPU seconds for which a quota stopped this process's control group or one above it."""
    pressure_s: float | None
    """Time in which some runnable thread waited for a CPU: in the own control group, or else on the machine."""


def read_counters() -> Counters:
    """Return what this system offers; takes well under a millisecond for each ten CPUs."""
    own = affinity()
    ticks = _cpu_ticks()
    if not own <= ticks.keys():  # a container may number the CPUs that it shows from 0 on, whichever ones it has
        ticks = {}
    lines, cores = ([ticks[cpu] for cpu in cpus if cpu in ticks] for cpus in (own, with_siblings(own)))
    ticks_per_s = os.sysconf("SC_CLK_TCK")
    return Counters(
        clock_s=time.perf_counter(),
        own=read_usage(),
        busy_cpu_s=sum(line[field] for line in cores for field in BUSY) / ticks_per_s if cores else None,
        steal_cpu_s=sum(line[STEAL] for line in lines) / ticks_per_s if lines else None,
        all_cpu_s=sum(sum(line[:ALL]) for line in lines) / ticks_per_s if lines else None,
        throttled_s=throttled_s(),
        pressure_s=pressure_s(),
    )


def _cpu_ticks() -> dict[int, list[int]]:
    """Return the counts of each logical CPU, in ticks."""
    lines = [line.split() for line in (read_text(STAT) or "").splitlines() if re.match(r"cpu\d", line)]
    return {int(name.removeprefix("cpu")): [int(count) for count in counts] for name, *counts in lines}


def throttled_s() -> float | None:
    """Return the throttled CPU seconds so far, of this process's group and those above it; None without such groups."""
    found = [_throttled_s(read_text(group / "cpu.stat")) for group in own_groups("cpu")]
    known = [seconds for seconds in found if seconds is not None]
    return sum(known) if known else None


def _throttled_s(stat: str | None) -> float | None:
    values = dict(line.split() for line in (stat or "").splitlines())
    if "throttled_usec" in values:  # version 2
        return int(values["throttled_usec"]) / 1e6
    return int(values["throttled_time"]) / 1e9 if "throttled_time" in values else None


def pressure_s() -> float | None:
    """Return for how long some thread has waited for a CPU so far; None where the kernel does not count it."""
    files = [*(group / "cpu.pressure" for group in own_groups("cpu")), PRESSURE]
    text = _first(read_text(path) for path in files)
    return int(text.splitlines()[0].rsplit("total=", 1)[1]) / 1e6 if text and "total=" in text else None


def _first(texts: Iterable[str | None]) -> str | None:
    return next((text for text in texts if text is not None), None)
