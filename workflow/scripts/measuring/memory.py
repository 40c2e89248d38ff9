"""The most memory that a run held."""

import platform
import resource
from dataclasses import dataclass
from typing import Any

import torch


@dataclass(frozen=True, kw_only=True)
class PeakMemory:
    """Bytes: resident on the host; on the device in tensors, and held by torch's allocator for them."""

    peak_host_bytes: int
    """In this process, without its loader processes."""
    peak_loader_bytes: int | None
    """In the largest loader process that has ended, shared pages included; None without loader processes."""
    peak_device_bytes: int | None
    """None on a CPU, and where torch does not count."""
    peak_device_reserved_bytes: int | None


def peak_memory(device: torch.device, loader_processes: int = 0) -> PeakMemory:
    """Return the peaks so far: of this process since it started, of the device since `forget_device_peak`.

    Children are told apart by nothing: asked with `loader_processes` above 0, the largest that ended counts as one.
    """
    return PeakMemory(
        peak_host_bytes=peak_resident_bytes(resource.RUSAGE_SELF),
        peak_loader_bytes=(peak_resident_bytes(resource.RUSAGE_CHILDREN) or None) if loader_processes else None,
        peak_device_bytes=_device_count(device, "max_memory_allocated"),
        peak_device_reserved_bytes=_device_count(device, "max_memory_reserved"),
    )


def peak_resident_bytes(who: int) -> int:
    """Return the largest resident size of this process, or of the largest child; counted in KiB, on macOS in bytes."""
    unit = 1 if platform.system() == "Darwin" else 1024
    return resource.getrusage(who).ru_maxrss * unit


def forget_device_peak(device: torch.device) -> None:
    """Give cached memory back and let the device's peaks start here."""
    module: Any = torch.get_device_module(device)
    for name in ("empty_cache", "reset_peak_memory_stats"):
        if hasattr(module, name):
            getattr(module, name)()


def _device_count(device: torch.device, name: str) -> int | None:
    module: Any = torch.get_device_module(device)
    return int(getattr(module, name)(device)) if device.type != "cpu" and hasattr(module, name) else None
