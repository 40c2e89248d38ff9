"""NVIDIA's management library (NVML), which comes with the driver: one GPU's sensors, without a subprocess.

Names, constants and structures as in NVIDIA's nvml.h (NVML API reference, docs.nvidia.com/deploy/nvml-api).
"""

import ctypes
from pathlib import Path
from typing import Any

from measuring.readable import read_text

LIBRARY = "libnvidia-ml.so.1"
MAPS = Path("/proc/self/maps")
SM_CLOCK, MEMORY_CLOCK = 1, 2  # nvmlClockType_t
GPU_SENSOR = 0  # nvmlTemperatureSensors_t
THERMAL_POLICY = 1  # nvmlPerfPolicyType_t
MOST_PROCESSES = 256
REASONS = {
    0x1: "gpu_idle",
    0x2: "applications_clocks_setting",
    0x4: "sw_power_cap",
    0x8: "hw_slowdown",
    0x10: "sync_boost",
    0x20: "sw_thermal_slowdown",
    0x40: "hw_thermal_slowdown",
    0x80: "hw_power_brake_slowdown",
    0x100: "display_clock_setting",
}


class _Process(ctypes.Structure):
    _fields_ = (  # nvmlProcessInfo_t
        ("pid", ctypes.c_uint),
        ("used_memory", ctypes.c_ulonglong),
        ("gpu_instance", ctypes.c_uint),
        ("compute_instance", ctypes.c_uint),
    )


class _Violation(ctypes.Structure):
    _fields_ = (("reference_us", ctypes.c_ulonglong), ("violation_ns", ctypes.c_ulonglong))  # nvmlViolationTime_t


def load_library() -> Any:
    """Return the initialised library, or None where it is missing or refuses."""
    for name in (LIBRARY, *_beside_the_driver()):
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        return library if library.nvmlInit_v2() == 0 else None
    return None


def _beside_the_driver() -> list[str]:
    """The same folder as libcuda, which torch has found by then: not every container tells its linker."""
    paths = {Path(line.split()[-1]) for line in (read_text(MAPS) or "").splitlines() if "/libcuda.so" in line}
    return [str(path.with_name(LIBRARY)) for path in sorted(paths)]


class NvmlDevice:
    """One GPU, or one MIG slice; each reading is None where the library does not give it."""

    def __init__(self, library: Any, handle: ctypes.c_void_p) -> None:
        """Keep library and handle; `find_device` makes both."""
        self._library, self._handle = library, handle

    def energy_mj(self) -> int | None:
        """Millijoules since the driver was loaded."""
        return self._read("nvmlDeviceGetTotalEnergyConsumption", kind=ctypes.c_ulonglong)

    def sm_clock_mhz(self) -> int | None:
        """Clock of the multiprocessors now, MHz."""
        return self._read("nvmlDeviceGetClockInfo", SM_CLOCK)

    def max_sm_clock_mhz(self) -> int | None:
        """Highest clock of the multiprocessors, MHz."""
        return self._read("nvmlDeviceGetMaxClockInfo", SM_CLOCK)

    def max_memory_clock_mhz(self) -> int | None:
        """Highest clock of the memory, MHz."""
        return self._read("nvmlDeviceGetMaxClockInfo", MEMORY_CLOCK)

    def temperature_c(self) -> int | None:
        """Temperature of the chip, degrees Celsius."""
        return self._read("nvmlDeviceGetTemperature", GPU_SENSOR)

    def power_limit_w(self) -> float | None:
        """Enforced power limit, watts."""
        milliwatts = self._read("nvmlDeviceGetEnforcedPowerLimit")
        return None if milliwatts is None else milliwatts / 1000

    def pcie_generation(self) -> int | None:
        """Highest generation that card and slot can use; an idle link may run slower."""
        return self._read("nvmlDeviceGetMaxPcieLinkGeneration")

    def pcie_width(self) -> int | None:
        """Lanes of the link."""
        return self._read("nvmlDeviceGetCurrPcieLinkWidth")

    def mig_mode(self) -> str | None:
        """`enabled` or `disabled`; None for a GPU that cannot be split."""
        current, pending = ctypes.c_uint(), ctypes.c_uint()
        known = self._call("nvmlDeviceGetMigMode", ctypes.byref(current), ctypes.byref(pending))
        return ("enabled" if current.value else "disabled") if known else None

    def throttle_reasons(self) -> str | None:
        """What holds the clock below its highest value now, joined by `+`, or `none`."""
        names = ("nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons")  # new, old
        known = [bits for name in names if (bits := self._read(name, kind=ctypes.c_ulonglong)) is not None]
        if not known:
            return None
        bits = known[0]
        return "+".join(name for bit, name in REASONS.items() if bits & bit) or "none"

    def thermal_violation_s(self) -> float | None:
        """Seconds for which heat has held the clock back so far, as the driver counts them from some moment."""
        violation = _Violation()
        known = self._call("nvmlDeviceGetViolationStatus", THERMAL_POLICY, ctypes.byref(violation))
        return violation.violation_ns / 1e9 if known else None

    def compute_processes(self) -> list[int] | None:
        """Process ids, as the driver counts them, that hold a compute context on the GPU."""
        count, processes = ctypes.c_uint(MOST_PROCESSES), (_Process * MOST_PROCESSES)()
        known = self._call("nvmlDeviceGetComputeRunningProcesses_v3", ctypes.byref(count), processes)
        return [process.pid for process in processes[: count.value]] if known else None

    def driver(self) -> str | None:
        """Version of the driver."""
        text = ctypes.create_string_buffer(80)
        known = self._library.nvmlSystemGetDriverVersion(text, len(text)) == 0
        return text.value.decode() if known else None

    def _read(self, name: str, *arguments: int, kind: Any = ctypes.c_uint) -> int | None:
        value = kind()
        return int(value.value) if self._call(name, *arguments, ctypes.byref(value)) else None

    def _call(self, name: str, *arguments: Any) -> bool:
        function = getattr(self._library, name, None)
        return function is not None and function(self._handle, *arguments) == 0


def find_device(uuid: str | None, library: Any = None) -> NvmlDevice | None:
    """Return the GPU (or MIG slice) with the UUID that torch gives, without a prefix; None where there is none."""
    library = library or (load_library() if uuid else None)
    if library is None:
        return None
    for name in (f"GPU-{uuid}", f"MIG-{uuid}"):
        handle = ctypes.c_void_p()
        if library.nvmlDeviceGetHandleByUUID(name.encode(), ctypes.byref(handle)) == 0:
            return NvmlDevice(library, handle)
    return None
