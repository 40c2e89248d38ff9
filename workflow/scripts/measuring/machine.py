"""The machine of a run, read inside the process that ran."""

import os
import platform
import socket
from pathlib import Path
from typing import Any

import psutil
import torch

from measuring.accelerator import describe_accelerator
from measuring.cores import available_cpus, physical_cores
from measuring.grant import describe_grant
from measuring.readable import read_text


def describe_machine(device: torch.device) -> dict[str, Any]:
    """Return the `machine` part of a record, but for the load at its start; what cannot be read is None."""
    return {
        "host": socket.gethostname(),
        "system": f"{platform.system()} {platform.release()}",
        "cpu_name": cpu_name(),
        "logical_cpus": os.cpu_count() or 1,
        "available_cpus": available_cpus(),
        "physical_cores": physical_cores(),
        **describe_grant(),
        "memory_bytes": psutil.virtual_memory().total,
        "cuda_visible_devices": os.environ.get("CUDA_VISIBLE_DEVICES"),
        "slurm_job_id": os.environ.get("SLURM_JOB_ID"),
        "accelerator": None if device.type == "cpu" else describe_accelerator(device),
    }


def cpu_name() -> str | None:
    """Return the processor's product name."""
    text = read_text(Path("/proc/cpuinfo"))
    if text is None:
        return platform.processor() or None
    return next((line.split(":", 1)[1].strip() for line in text.splitlines() if line.startswith("model name")), None)
