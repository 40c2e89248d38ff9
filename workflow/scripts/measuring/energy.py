"""Energy over the training windows, from counters in the hardware: a number of joules, or the reason why there is none.

Counters are read around each window, outside the clock. They count all that runs on the chip, not this process alone.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from measuring.nvml import NvmlDevice
from measuring.rapl import Package, find_packages

MIN_WINDOWS_S = 5.0
"""The GPU's counter moves in steps of up to 0.1 s: over fewer seconds the steps at the edges weigh too much."""
MOST_POWER_W = 600.0
"""No package draws more for long; a counter that could start again twice within a window tells nothing."""


@dataclass(frozen=True, kw_only=True)
class Meter:
    """Counters of one kind, in joules, and why there are none; `range_j` is where each of them starts again."""

    read_j: Callable[[], list[float | None]]
    range_j: tuple[float, ...] = ()
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
    return Meter(read_j=lambda: [_scaled(gpu.energy_mj(), 1e3)], range_j=(float("inf"),))


def cpu_meter() -> Meter:
    """Return the meter of all processor packages of the machine, or one that says why there is none."""
    packages = find_packages()
    if not packages:
        return _no_meter("the system shows no RAPL counters in /sys/class/powercap")
    if any(package.read_uj() is None for package in packages):
        return _no_meter("the RAPL counters may be read by root only")
    return Meter(read_j=lambda: _joules(packages), range_j=tuple(package.range_uj / 1e6 for package in packages))


def _no_meter(reason: str) -> Meter:
    return Meter(read_j=list, absent=f"not measured: {reason}")


def _joules(packages: list[Package]) -> list[float | None]:
    return [_scaled(package.read_uj(), 1e6) for package in packages]


def _scaled(value: int | None, divisor: float) -> float | None:
    return None if value is None else value / divisor


def total_j(meter: Meter, used_j: Sequence[float | None], windows_s: float) -> tuple[float | None, str | None]:
    """Return the joules of all windows and None, or None and the reason, in words."""
    if meter.absent:
        return None, meter.absent
    if windows_s < MIN_WINDOWS_S:
        return None, f"not measured: the windows last {windows_s:.1f} s together, fewer than {MIN_WINDOWS_S:.0f} s"
    known = [joules for joules in used_j if joules is not None]
    if len(known) < len(used_j) or not known:
        return None, "not measured: a counter could not be read, or a window was longer than it counts"
    if sum(known) <= 0:
        return None, "not measured: the counter did not move"
    return sum(known), None
