"""The most memory that a run held."""

import platform
import resource
from dataclasses import dataclass
from typing import Any

import torch


@dataclass(frozen=True, kw_only=True)
class PeakMemory:
    """Bytes: resident in this process; on the device in tensors, and held by torch's allocator for them."""

    peak_host_bytes: int
    peak_device_bytes: int | None
    """None on a CPU, and where torch does not count."""
    peak_device_reserved_bytes: int | None


def peak_memory(device: torch.device) -> PeakMemory:
    """Return the peaks so far: of this process since it started, of the device since `forget_device_peak`."""
    return PeakMemory(
        peak_host_bytes=peak_host_bytes(),
        peak_device_bytes=_device_count(device, "max_memory_allocated"),
        peak_device_reserved_bytes=_device_count(device, "max_memory_reserved"),
    )


def peak_host_bytes() -> int:
    """Return the largest resident size; the system counts it in KiB, macOS in bytes."""
    unit = 1 if platform.system() == "Darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def forget_device_peak(device: torch.device) -> None:
    """Give cached memory back and let the device's peaks start here."""
    module: Any = torch.get_device_module(device)
    for name in ("empty_cache", "reset_peak_memory_stats"):
        if hasattr(module, name):
            getattr(module, name)()


def _device_count(device: torch.device, name: str) -> int | None:
    module: Any = torch.get_device_module(device)
    return int(getattr(module, name)(device)) if device.type != "cpu" and hasattr(module, name) else None
