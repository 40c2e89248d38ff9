"""Reads everything that is read around a training window: before it opens and after it closed, never inside."""

from dataclasses import dataclass

from measuring.counters import Counters, read_counters
from measuring.energy import cpu_meter, gpu_meter
from measuring.nvml import NvmlDevice
from measuring.surroundings import Surroundings, grown, surroundings


@dataclass(frozen=True, kw_only=True)
class Observation:
    """What was seen around one window; joules are None where no counter was read."""

    surroundings: Surroundings
    gpu_energy_j: float | None
    cpu_energy_j: float | None


@dataclass(frozen=True, kw_only=True)
class _Reading:
    gpu_j: list[float | None]
    cpu_j: list[float | None]
    counters: Counters
    gpu_thermal_s: float | None


class Observer:
    """Watches one window after the other."""

    def __init__(self, *, device_type: str, threads: int, gpu: NvmlDevice | None) -> None:
        """`threads`: host threads of the run; `gpu`: the NVIDIA GPU in use, or None."""
        self.gpu_meter, self.cpu_meter = gpu_meter(gpu, device_type), cpu_meter()
        self._threads, self._gpu = threads, gpu
        self._before = self._read()

    def open(self) -> None:
        """Read just before a window opens."""
        self._before = self._read()

    def close(self) -> Observation:
        """Read just after a window closed and return what happened since `open`."""
        before, after = self._before, self._read()
        seconds = after.counters.clock_s - before.counters.clock_s
        return Observation(
            surroundings=surroundings(
                before=before.counters,
                after=after.counters,
                threads=self._threads,
                gpu=self._gpu,
                gpu_thermal_s=grown(before, after, "gpu_thermal_s"),
            ),
            gpu_energy_j=self.gpu_meter.used_j(before.gpu_j, after.gpu_j, seconds),
            cpu_energy_j=self.cpu_meter.used_j(before.cpu_j, after.cpu_j, seconds),
        )

    def _read(self) -> _Reading:
        return _Reading(
            gpu_j=self.gpu_meter.read_j(),
            cpu_j=self.cpu_meter.read_j(),
            counters=read_counters(),
            gpu_thermal_s=self._gpu.thermal_violation_s() if self._gpu else None,
        )
