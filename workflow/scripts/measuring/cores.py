"""How many CPUs this process may really use. Imports nothing heavy: the scheduler asks too."""

import os
import sys
from functools import cache
from pathlib import Path
from typing import Literal

import psutil

from lineage.job import UserError
from measuring.cgroups import own_groups
from measuring.readable import read_cpu_list, read_int, read_text

CPUS = Path("/sys/devices/system/cpu")
BINDING = ("OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY")


def available_cpus() -> int:
    """Return the logical CPUs, at least 1, that affinity, cgroup quota (rounded down) and Slurm grant this process."""
    granted = [len(affinity()), *map(int, cgroup_quotas())]
    slurm = os.environ.get("SLURM_CPUS_PER_TASK", "")
    return max(1, min([*granted, int(slurm)] if slurm.isdigit() else granted))


def physical_cores() -> int:
    """Return the physical cores among the available CPUs, never more than `available_cpus`."""
    siblings = {read_text(CPUS / f"cpu{cpu}" / "topology" / "thread_siblings_list") or str(cpu) for cpu in affinity()}
    if not CPUS.exists():
        return min(available_cpus(), psutil.cpu_count(logical=False) or 1)
    return min(available_cpus(), len(siblings))


def with_siblings(cpus: frozenset[int]) -> frozenset[int]:
    """Return these logical CPUs and those that share a core with one of them, as far as the system tells."""
    return cpus.union(*(read_cpu_list(CPUS / f"cpu{cpu}" / "topology" / "thread_siblings_list") for cpu in cpus))


def wanted_threads(requested: int | Literal["auto"]) -> int:
    """Return the number of threads that a device's setting stands for on this machine."""
    return physical_cores() if requested == "auto" else requested


def cgroup_quotas() -> list[float]:
    """Return the CPUs that this process's control group and each group above it may use, as far as they are limited.

    Version 2 keeps `cpu.max` in each group, version 1 `cpu.cfs_quota_us` below the `cpu` controller.
    """
    quotas = [quota for group in own_groups("cpu") for quota in (_quota_v2(group), _quota_v1(group))]
    return [quota for quota in quotas if quota is not None]


def _quota_v2(group: Path) -> float | None:
    quota, period = (read_text(group / "cpu.max") or "max 100000").split()
    return None if quota == "max" else int(quota) / int(period)


def _quota_v1(group: Path) -> float | None:
    quota = read_int(group / "cpu.cfs_quota_us") or -1
    return quota / (read_int(group / "cpu.cfs_period_us") or 100_000) if quota > 0 else None


@cache
def affinity() -> frozenset[int]:
    """Return the numbers of the logical CPUs on which this process may be scheduled, as the first call finds them.

    That call has to come before torch is imported: with one of the variables BINDING set, the import binds the calling
    thread, and what it starts from then on, to one CPU (pytorch/pytorch#91989), though the process keeps all of them.
    UserError when it comes too late to see them.
    """
    bound = [name for name in BINDING if os.environ.get(name, "false").lower() != "false"]
    if bound and "torch" in sys.modules:
        raise UserError(f"{bound[0]} may have bound this process to one CPU when torch was imported: unset it.")
    if hasattr(os, "sched_getaffinity"):
        return frozenset(os.sched_getaffinity(0))
    return frozenset(range(os.cpu_count() or 1))
