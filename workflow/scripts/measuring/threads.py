"""Host threads: as many as the device's settings say, or no run at all."""

from dataclasses import dataclass
from typing import Literal

import torch

from measuring.cores import available_cpus, wanted_threads
from measuring.refusal import RefusedError


@dataclass(frozen=True, kw_only=True)
class Threads:
    """Threads as configured, as granted by the scheduler, and as torch reads them back."""

    threads_requested: int | Literal["auto"]
    threads_granted: int
    threads_effective: int | None


def set_threads(requested: int | Literal["auto"], granted: int) -> Threads:
    """Set torch's threads and return what holds; RefusedError when the machine or the scheduler gives fewer."""
    wanted = wanted_threads(requested)
    if available_cpus() < wanted:
        raise RefusedError(
            f"threads: {requested} was asked for, but this process may use {available_cpus()} CPUs only: "
            "ask for fewer, or for auto"
        )
    if granted < wanted:
        raise RefusedError(
            f"threads: {requested} means {wanted} here, but the scheduler granted {granted}: use --cores all, then "
            "`make retry`"
        )
    torch.set_num_threads(wanted)
    return Threads(threads_requested=requested, threads_granted=granted, threads_effective=torch.get_num_threads())
