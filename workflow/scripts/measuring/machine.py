"""The machine and the software of a run, read inside the process that ran."""

import os
import platform
import socket
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import psutil
import torch

from measuring.cores import available_cpus, physical_cores
from measuring.devices import accelerator_name


def describe_machine(device: torch.device) -> dict[str, Any]:
    """Return the `machine` part of a record; what cannot be read is None."""
    return {
        "host": socket.gethostname(),
        "system": f"{platform.system()} {platform.release()}",
        "cpu_name": cpu_name(),
        "logical_cpus": os.cpu_count() or 1,
        "available_cpus": available_cpus(),
        "physical_cores": physical_cores(),
        "memory_bytes": psutil.virtual_memory().total,
        "slurm_job_id": os.environ.get("SLURM_JOB_ID"),
        "accelerator": None if device.type == "cpu" else describe_accelerator(device),
    }


def cpu_name() -> str | None:
    """Return the processor's product name."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor() or None
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), None)


def describe_accelerator(device: torch.device) -> dict[str, Any]:
    """Return name, UUID, memory and driver of the accelerator in use."""
    if device.type != "cuda":
        return {"name": accelerator_name(device), "uuid": None, "memory_bytes": None, "driver": None}
    properties = torch.cuda.get_device_properties(device)
    return {
        "name": properties.name,
        "uuid": str(properties.uuid),
        "memory_bytes": properties.total_memory,
        "driver": _nvidia_driver(),
    }


def _nvidia_driver() -> str | None:
    command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.splitlines()[0].strip() if done.stdout else None


def describe_software() -> dict[str, str | None]:
    """Return the versions that decide what a step costs."""
    cudnn = torch.backends.cudnn.version() if torch.cuda.is_available() else None
    return {
        "python": platform.python_version(),
        "torch": torch.__version__,
        "torchvision": _version("torchvision"),
        "numpy": _version("numpy"),
        "pillow": _version("pillow"),
        "cuda": torch.version.cuda,
        "cudnn": str(cudnn) if cudnn else None,
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
