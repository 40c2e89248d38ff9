"""What this process and its loader processes have used so far."""

import multiprocessing
import resource
from dataclasses import dataclass

import psutil


@dataclass(frozen=True, kw_only=True)
class Usage:
    """CPU seconds of all threads, and context switches that the scheduler forced."""

    cpu_s: float
    involuntary_switches: int


def read_usage() -> Usage:
    """Return the usage of this process, of its children that have ended, and of its loader processes that still run."""
    # In this order: asking for the active ones collects those that have ended, which count only then.
    running = [usage for child in multiprocessing.active_children() if (usage := _of_child(child.pid)) is not None]
    ended = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return Usage(
        cpu_s=sum(each.ru_utime + each.ru_stime for each in ended) + sum(each.cpu_s for each in running),
        involuntary_switches=sum(each.ru_nivcsw for each in ended) + sum(each.involuntary_switches for each in running),
    )


def _of_child(pid: int | None) -> Usage | None:
    try:
        process = psutil.Process(pid)
        times = process.cpu_times()
        return Usage(cpu_s=times.user + times.system, involuntary_switches=_involuntary_switches(process))
    except psutil.Error:
        return None


def _involuntary_switches(process: psutil.Process) -> int:
    try:
        return process.num_ctx_switches().involuntary
    except NotImplementedError:  # a sandbox's kernel does not count them, and says 0 for this process, too
        return 0
