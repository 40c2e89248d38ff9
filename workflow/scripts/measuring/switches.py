"""Switches of the whole process that a recipe may turn on."""

import ctypes
import platform

import torch

from measuring.knobs import Knobs

# Parameters of mallopt(3): how many pieces of memory may come from elsewhere than the heap, and how much of the heap's
# free end is kept. M_MMAP_THRESHOLD, the size from which they come from elsewhere, would do too, but older versions of
# glibc refuse one above 32 MiB.
M_MMAP_MAX, M_TRIM_THRESHOLD = -4, -1
NONE, ALL = 0, -1


def set_switches(knobs: Knobs) -> None:
    """Turn on what the recipe asks for; call it before torch starts its threads, which inherit the first of them."""
    if knobs.active("flush_denormals") and not torch.set_flush_denormal(True):
        knobs.give_up("flush_denormals", "this processor cannot")
    if knobs.active("retain_host_memory") and not retain_memory():
        knobs.give_up("retain_host_memory", "the C library is not glibc")


def retain_memory() -> bool:
    """Have glibc take all memory from its heap and keep it: otherwise the system zeroes large tensors at every step.

    Returns whether it will; other C libraries have no such switch.
    """
    if platform.libc_ver()[0] != "glibc":
        return False
    mallopt = ctypes.CDLL(None).mallopt
    return bool(mallopt(M_MMAP_MAX, NONE) and mallopt(M_TRIM_THRESHOLD, ALL))
