"""What else happened on the machine while a window was open."""

from dataclasses import dataclass, fields
from typing import Any

from measuring.counters import Counters
from measuring.nvml import NvmlDevice
from measuring.processor import cpu_frequency_mhz, cpu_temperature_c


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """One window's columns of the epoch table; None where it cannot be read, or there is no such GPU."""

    involuntary_switches: int | None
    """Context switches that the scheduler forced on this process and its loader processes."""
    cpu_share: float | None
    """CPU time of this process and its loaders, over wall time x threads; loader processes can raise it above 1."""
    steal_share: float | None
    """Of the time of the CPUs that this process may run on, the share that other virtual machines took."""
    throttled_s: float | None
    """CPU seconds for which a quota stopped the process."""
    pressure_s: float | None
    """Seconds in which some thread waited for a CPU; the run's own threads count."""
    other_cpu_s: float | None
    """CPU seconds that other processes used on the CPUs that this process may run on and on their cores' other threads.

    Work there takes arithmetic units away from this process, wherever the scheduler may put it.
    """
    gpu_sm_clock_mhz: float | None
    gpu_temperature_c: float | None
    gpu_throttle_reasons: str | None
    gpu_thermal_s: float | None
    """Seconds within the window for which heat held the clock back, by the driver's own count."""
    gpu_other_processes: int | None
    cpu_frequency_mhz: float | None
    cpu_temperature_c: float | None


SURROUNDINGS = [each.name for each in fields(Surroundings)]


def surroundings(
    *, before: Counters, after: Counters, threads: int, gpu: NvmlDevice | None, gpu_thermal_s: float | None
) -> Surroundings:
    """Return what two readings of the counters say, with the state of GPU and processor at this moment."""
    return Surroundings(
        **between(before, after, threads), **_gpu_now(gpu), gpu_thermal_s=gpu_thermal_s, **_processor_now()
    )


def between(before: Counters, after: Counters, threads: int) -> dict[str, Any]:
    """Return the columns that two readings of the host's counters give."""
    own_s = after.own.cpu_s - before.own.cpu_s
    wall_s = after.clock_s - before.clock_s
    busy_s, steal_s = grown(before, after, "busy_cpu_s"), grown(before, after, "steal_cpu_s")
    all_s = grown(before, after, "all_cpu_s")
    return {
        "involuntary_switches": after.own.involuntary_switches - before.own.involuntary_switches,
        "cpu_share": own_s / (wall_s * threads),
        "steal_share": steal_s / all_s if steal_s is not None and all_s else None,
        "throttled_s": grown(before, after, "throttled_s"),
        "pressure_s": grown(before, after, "pressure_s"),
        "other_cpu_s": _others_s(busy_s, own_s),
    }


def _others_s(busy_s: float | None, own_s: float) -> float | None:
    """Return what is left of the busy time; None where it does not even hold our own: sandboxes show zeros."""
    if busy_s is None or busy_s == 0 < own_s:
        return None
    return max(0.0, busy_s - own_s)  # ticks against exact time: may fall short


def grown(before: object, after: object, name: str) -> float | None:
    """Return by how much a count grew between two readings, None where one of them could not read it."""
    first, second = getattr(before, name), getattr(after, name)
    return None if first is None or second is None else second - first


def _gpu_now(gpu: NvmlDevice | None) -> dict[str, Any]:
    return {
        "gpu_sm_clock_mhz": gpu and gpu.sm_clock_mhz(),
        "gpu_throttle_reasons": gpu and gpu.throttle_reasons(),
        "gpu_temperature_c": gpu and gpu.temperature_c(),
        "gpu_other_processes": gpu and other_processes(gpu.compute_processes()),
    }


def other_processes(processes: list[int] | None) -> int | None:
    """Return how many processes besides this one are on the GPU, given all of them.

    This one is always among them, but a container knows it by another number than the driver does. Where the driver
    shows none at all, it hides the others as well.
    """
    return len(processes) - 1 if processes else None


def _processor_now() -> dict[str, Any]:
    return {"cpu_frequency_mhz": cpu_frequency_mhz(), "cpu_temperature_c": cpu_temperature_c()}
