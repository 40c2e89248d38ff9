"""Energy over the training windows, from counters in the hardware: a number of joules, or the reason why there is none.

Counters are read around each window, outside the clock. They count all that runs on the chip, not this process alone.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from measuring.nvml import NvmlDevice
from measuring.rapl import Package, find_packages

GPU_UPDATE_S, RAPL_UPDATE_S = 0.1, 0.001
"""Counters move once in so many seconds at most (Intel's manual: RAPL about every millisecond)."""
MIN_WINDOW_UPDATES = 50
"""A window is known to one update at each of its edges: with 50 in the mean window, to 4 % of all of them."""
MOST_POWER_W = 600.0
"""No package draws more for long; a counter that could start again twice within a window tells nothing."""


@dataclass(frozen=True, kw_only=True)
class Meter:
    """Counters of one kind, in joules, and why there are none.

    `range_j` is where each of them starts again, `update_s` the most seconds from one move to the next.
    """

    read_j: Callable[[], list[float | None]]
    range_j: tuple[float, ...] = ()
    update_s: float = 0.0
    absent: str | None = None

    def used_j(self, before: Sequence[float | None], after: Sequence[float | None], seconds: float) -> float | None:
        """Return the joules between two readings `seconds` apart; None when one is missing or may have gone round."""
        used = 0.0
        for first, second, end in zip(before, after, self.range_j, strict=True):
            if first is None or second is None or seconds * MOST_POWER_W > end:
                return None
            used += (second - first) % end if end < float("inf") else second - first
        return used if self.range_j else None


def gpu_meter(gpu: NvmlDevice | None, device_type: str) -> Meter:
    """Return the meter of the GPU in use, or one that says why there is none."""
    if device_type == "cpu":
        return _no_meter("the run uses no GPU")
    if gpu is None:
        return _no_meter("only NVIDIA's library NVML is known to count energy, and it is not available here")
    if gpu.energy_mj() is None:
        return _no_meter("this GPU (or this slice of one) has no energy counter")
    return Meter(read_j=lambda: [_scaled(gpu.energy_mj(), 1e3)], range_j=(float("inf"),), update_s=GPU_UPDATE_S)


def cpu_meter() -> Meter:
    """Return the meter of all processor packages of the machine, or one that says why there is none."""
    packages = find_packages()
    if not packages:
        return _no_meter("the system shows no RAPL counters in /sys/class/powercap")
    if any(package.read_uj() is None for package in packages):
        return _no_meter("the RAPL counters may be read by root only")
    ranges_j = tuple(package.range_uj / 1e6 for package in packages)
    return Meter(read_j=lambda: _joules(packages), range_j=ranges_j, update_s=RAPL_UPDATE_S)


def _no_meter(reason: str) -> Meter:
    return Meter(read_j=list, absent=f"not measured: {reason}")


def _joules(packages: list[Package]) -> list[float | None]:
    return [_scaled(package.read_uj(), 1e6) for package in packages]


def _scaled(value: int | None, divisor: float) -> float | None:
    return None if value is None else value / divisor


def total_j(
    meter: Meter, used_j: Sequence[float | None], windows_s: Sequence[float]
) -> tuple[float | None, str | None]:
    """Return the joules of all windows, of `windows_s` seconds each, and None, or None and the reason, in words."""
    if meter.absent:
        return None, meter.absent
    least_s = MIN_WINDOW_UPDATES * meter.update_s
    if math.fsum(windows_s) < least_s * len(windows_s):
        mean_s = math.fsum(windows_s) / len(windows_s)
        return None, f"not measured: a window lasts {mean_s:.3g} s in the mean, less than the {least_s:g} s needed"
    known = [joules for joules in used_j if joules is not None]
    if len(known) < len(used_j) or not known:
        return None, "not measured: a counter could not be read, or a window was longer than it counts"
    if sum(known) <= 0:
        return None, "not measured: the counter did not move"
    return sum(known), None
