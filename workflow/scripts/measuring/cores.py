"""How many CPUs this process may really use. Imports nothing heavy: the scheduler asks too."""

import os
from pathlib import Path
from typing import Literal

import psutil

CPUS = Path("/sys/devices/system/cpu")
CGROUP_V2 = Path("/sys/fs/cgroup/cpu.max")
CGROUP_V1 = Path("/sys/fs/cgroup/cpu")


def available_cpus() -> int:
    """Return the logical CPUs granted to this process by affinity and by cgroup quota (rounded down, at least 1)."""
    quota = cgroup_quota()
    allowed = len(_affinity())
    return allowed if quota is None else max(1, min(allowed, int(quota)))


def physical_cores() -> int:
    """Return the physical cores among the available CPUs, never more than `available_cpus`."""
    siblings = {_read(CPUS / f"cpu{cpu}" / "topology" / "thread_siblings_list") or str(cpu) for cpu in _affinity()}
    if not CPUS.exists():
        return min(available_cpus(), psutil.cpu_count(logical=False) or 1)
    return min(available_cpus(), len(siblings))


def wanted_threads(requested: int | Literal["auto"]) -> int:
    """Return the number of threads that a device's setting stands for on this machine."""
    return physical_cores() if requested == "auto" else requested


def cgroup_quota() -> float | None:
    """Return the CPUs that the cgroup of this container may use (v2, then v1), None without a limit."""
    v2 = (_read(CGROUP_V2) or "max").split()
    if v2[0] != "max":
        return int(v2[0]) / int(v2[1])
    quota = int(_read(CGROUP_V1 / "cpu.cfs_quota_us") or -1)
    return quota / int(_read(CGROUP_V1 / "cpu.cfs_period_us") or 100_000) if quota > 0 else None


def _affinity() -> set[int]:
    if hasattr(os, "sched_getaffinity"):
        return os.sched_getaffinity(0)
    return set(range(os.cpu_count() or 1))


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError:
        return None
