"""Switches of the whole process that a recipe may turn on."""

import torch

from measuring.knobs import Knobs


def set_switches(knobs: Knobs) -> None:
    """Turn on what the recipe asks for; call it before torch starts its threads, which inherit the first of them."""
    if knobs.active("flush_denormals") and not torch.set_flush_denormal(True):
        knobs.give_up("flush_denormals", "this processor cannot")
    if knobs.active("cudnn_benchmark"):
        torch.backends.cudnn.benchmark = True
