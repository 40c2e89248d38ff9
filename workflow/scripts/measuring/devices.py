"""Devices: opened, or refused with a reason; synchronised; never swapped for another."""

import torch

from lineage.job import UserError


def open_device(device_type: str) -> torch.device:
    """Return the device after it ran a kernel; UserError if it cannot. There is no fall-back to the CPU."""
    device = torch.device(device_type)
    error = run_kernel(device)
    if error is not None:
        raise UserError(
            f"device type {device_type!r} was asked for, but no kernel runs on it here ({error}): "
            "run on a machine that has one, or take the device out of config.study.devices."
        )
    return device


def run_kernel(device: torch.device) -> str | None:
    """Return None when a small kernel gives the right result on `device`, otherwise the reason."""
    try:
        total = torch.ones(1024, device=device).sum().item()
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        return (str(error).strip() or type(error).__name__).splitlines()[0].split(". ")[0]
    return None if total == 1024 else f"1024 ones added up to {total}"


def synchronise(device: torch.device) -> None:
    """Wait until `device` has finished all queued work; nothing to do on a CPU."""
    if device.type != "cpu":
        torch.accelerator.synchronize(device)


def accelerator_name(device: torch.device) -> str:
    """Return the product name of an accelerator, or its type where torch knows no name."""
    module = torch.get_device_module(device)
    return module.get_device_name(device) if hasattr(module, "get_device_name") else device.type
