"""What a study must state when its jobs run on other machines than the one that submits them."""

from typing import Any

from lineage.job import UserError
from measuring.cores import wanted_threads


def require_listed_devices(devices: list[str] | str) -> None:
    """Raise UserError for `auto`: it would look at the submitting machine, and again at each node."""
    if devices == "auto":
        raise UserError(
            "config.study.devices is auto, which looks for a GPU on the machine that submits the jobs, not on those "
            "that run them: list the devices by name, for instance [cpu, cuda]."
        )


def guessed_threads(devices: dict[str, dict[str, Any]], chosen: list[str]) -> list[str]:
    """Return a warning for each chosen device whose threads would be counted on the submitting machine."""
    return [
        f"config.devices.{name}.threads is auto: its jobs ask for {wanted_threads('auto')} CPUs, the cores of the "
        "machine that submits them; state how many a node is to give."
        for name in chosen
        if devices[name]["threads"] == "auto"
    ]
