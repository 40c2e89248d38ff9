"""Which of a recipe's knobs work on this device, and why not where they do not."""

import importlib.util
from dataclasses import asdict, dataclass
from typing import Any

import torch

from measuring.settings import Recipe

PLAIN: dict[str, Any] = {
    "input_pipeline": "loader",
    "memory_format": "contiguous",
    "fused_optimizer": False,
    "flush_denormals": False,
    "retain_host_memory": False,
    "compile": "none",
    "graph": "none",
}
"""The knobs and the value that asks for nothing."""


@dataclass(frozen=True, kw_only=True)
class Knob:
    """Whether something that a recipe asks for works, and the reason where it does not."""

    active: bool
    reason: str | None


class Knobs:
    """The knobs that a recipe asks for on a device."""

    def __init__(self, recipe: Recipe, device: torch.device) -> None:
        """Ask for each whether it can work here at all."""
        asked = [name for name, plain in PLAIN.items() if getattr(recipe, name) != plain]
        reasons = {name: _reason_against(name, getattr(recipe, name), device) for name in asked}
        self._knobs = {name: Knob(active=reason is None, reason=reason) for name, reason in reasons.items()}

    def active(self, name: str) -> bool:
        """Return whether a knob was asked for and works."""
        return name in self._knobs and self._knobs[name].active

    def give_up(self, name: str, error: BaseException | str) -> None:
        """Go on without a knob; the first line of the error is the reason."""
        lines = str(error).strip().splitlines() or [type(error).__name__]
        self._knobs[name] = Knob(active=False, reason=lines[0])

    def describe(self) -> dict[str, dict[str, Any]]:
        """Return every knob that was asked for: active or not, and the reason."""
        return {name: asdict(knob) for name, knob in self._knobs.items()}

    def inactive(self) -> str:
        """Return the knobs that do not work and why, one text; empty when all work."""
        return "; ".join(f"{name}: {knob.reason}" for name, knob in self._knobs.items() if not knob.active)


def _reason_against(name: str, value: Any, device: torch.device) -> str | None:
    if name == "graph" and device.type != "cuda":
        return f"a device of type {device.type} has none"
    if name in ("flush_denormals", "retain_host_memory") and device.type != "cpu":
        return "the CPU computes nothing here"
    if value == "inductor_gpu" and device.type == "cpu":
        return "asked for on accelerators alone"
    if name == "compile" and device.type == "cuda" and importlib.util.find_spec("triton") is None:
        return "triton is not installed"
    return None
