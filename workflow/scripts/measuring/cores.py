"""How many CPUs this process may really use. Imports nothing heavy: the scheduler asks too."""

import os
from pathlib import Path
from typing import Literal

import psutil

CPUS = Path("/sys/devices/system/cpu")
CGROUPS = Path("/sys/fs/cgroup")
OWN_CGROUP = Path("/proc/self/cgroup")


def available_cpus() -> int:
    """Return the logical CPUs, at least 1, that affinity, cgroup quota (rounded down) and Slurm grant this process."""
    granted = [len(_affinity()), *map(int, cgroup_quotas())]
    slurm = os.environ.get("SLURM_CPUS_PER_TASK", "")
    return max(1, min([*granted, int(slurm)] if slurm.isdigit() else granted))


def physical_cores() -> int:
    """Return the physical cores among the available CPUs, never more than `available_cpus`."""
    siblings = {_read(CPUS / f"cpu{cpu}" / "topology" / "thread_siblings_list") or str(cpu) for cpu in _affinity()}
    if not CPUS.exists():
        return min(available_cpus(), psutil.cpu_count(logical=False) or 1)
    return min(available_cpus(), len(siblings))


def wanted_threads(requested: int | Literal["auto"]) -> int:
    """Return the number of threads that a device's setting stands for on this machine."""
    return physical_cores() if requested == "auto" else requested


def cgroup_quotas() -> list[float]:
    """Return the CPUs that this process's control group and each group above it may use, as far as they are limited.

    Version 2 keeps `cpu.max` in each group, version 1 `cpu.cfs_quota_us` below the `cpu` controller.
    """
    own = (_read(OWN_CGROUP) or "").splitlines()
    paths = {line.split(":", 2)[2].strip("/") for line in own if line.split(":", 2)[1] in ("", "cpu,cpuacct", "cpu")}
    groups = {group for path in paths | {""} for group in (Path(path), *Path(path).parents)}
    quotas = [_quota_v2(CGROUPS / group) for group in groups] + [_quota_v1(CGROUPS / "cpu" / group) for group in groups]
    return [quota for quota in quotas if quota is not None]


def _quota_v2(group: Path) -> float | None:
    quota, period = (_read(group / "cpu.max") or "max 100000").split()
    return None if quota == "max" else int(quota) / int(period)


def _quota_v1(group: Path) -> float | None:
    quota = int(_read(group / "cpu.cfs_quota_us") or -1)
    return quota / int(_read(group / "cpu.cfs_period_us") or 100_000) if quota > 0 else None


def _affinity() -> set[int]:
    if hasattr(os, "sched_getaffinity"):
        return os.sched_getaffinity(0)
    return set(range(os.cpu_count() or 1))


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError:
        return None
