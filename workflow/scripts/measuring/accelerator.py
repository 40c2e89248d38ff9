"""The accelerator of a run."""

from typing import Any

import torch

from measuring.devices import accelerator_name
from measuring.nvml import NvmlDevice, find_device

FIELDS = (
    *("name", "uuid", "memory_bytes", "driver", "compute_capability", "multiprocessors", "power_limit_w"),
    *("max_sm_clock_mhz", "max_memory_clock_mhz", "mig_mode", "pcie_generation", "pcie_width"),
)


def nvml_device(device: torch.device) -> NvmlDevice | None:
    """Return the driver's own view of a CUDA device; None for another device, or without NVIDIA's library."""
    return find_device(str(torch.cuda.get_device_properties(device).uuid)) if device.type == "cuda" else None


def describe_accelerator(device: torch.device) -> dict[str, Any]:
    """Return the `accelerator` part of a record; what cannot be read is None."""
    nothing = dict.fromkeys(FIELDS)
    if device.type != "cuda":
        return nothing | {"name": accelerator_name(device)}
    return nothing | _by_torch(device) | _by_driver(nvml_device(device))


def _by_torch(device: torch.device) -> dict[str, Any]:
    properties = torch.cuda.get_device_properties(device)
    return {
        "name": properties.name,
        "uuid": str(properties.uuid),
        "memory_bytes": properties.total_memory,
        "compute_capability": f"{properties.major}.{properties.minor}",
        "multiprocessors": properties.multi_processor_count,
    }


def _by_driver(gpu: NvmlDevice | None) -> dict[str, Any]:
    if gpu is None:
        return {}
    return {
        "driver": gpu.driver(),
        "power_limit_w": gpu.power_limit_w(),
        "max_sm_clock_mhz": gpu.max_sm_clock_mhz(),
        "max_memory_clock_mhz": gpu.max_memory_clock_mhz(),
        "mig_mode": gpu.mig_mode(),
        "pcie_generation": gpu.pcie_generation(),
        "pcie_width": gpu.pcie_width(),
    }
