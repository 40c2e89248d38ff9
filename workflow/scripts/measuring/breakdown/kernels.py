"""How many pieces of work a step hands out: operators, device kernels, and what launching a kernel costs."""

import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile
from torch.utils._python_dispatch import TorchDispatchMode

from measuring.devices import synchronise

PROFILED_STEPS = 3
LAUNCHES = 1000
ROUNDS = 5  # the best of five: a floor is what nothing disturbed

Step = Callable[[], object]


@dataclass(frozen=True, kw_only=True)
class Kernels:
    """Device work of one step, mean over PROFILED_STEPS; None where it cannot be seen, with the reason."""

    kernels: float | None = None
    kernel_s: float | None = None
    """Sum of the kernels' own durations."""
    memcpy_s: float | None = None
    """Sum of the durations of copies to, from and within the device, which are no kernels."""
    kernels_reason: str | None = None


def profile_kernels(step: Step, device: torch.device) -> Kernels:
    """Count the kernels of `step` by the profiler (CUPTI), after one profiled step that is thrown away."""
    if device.type != "cuda":
        return Kernels(kernels_reason=f"a device of type {device.type} has no kernels that the profiler counts")
    try:
        _trace(step, device, 1)
        return count_kernels(_trace(step, device, PROFILED_STEPS), PROFILED_STEPS)
    except torch.OutOfMemoryError:
        raise
    except (RuntimeError, OSError, ValueError) as error:
        return Kernels(kernels_reason=f"the profiler failed: {(str(error).splitlines() or ['no message'])[0]}")


def _trace(step: Step, device: torch.device, steps: int) -> list[dict[str, Any]]:
    with profile(activities=[ProfilerActivity.CUDA]) as profiler:
        for _ in range(steps):
            step()
        synchronise(device)
    with TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.json"
        profiler.export_chrome_trace(str(trace))
        return json.loads(trace.read_text(encoding="utf-8", errors="replace"), strict=False)["traceEvents"]


def count_kernels(events: Iterable[Mapping[str, Any]], steps: int) -> Kernels:
    """Return the device work per step from the events of a trace; durations there are microseconds."""
    microseconds: dict[str, list[float]] = {"kernel": [], "gpu_memcpy": []}
    for event in events:
        if event.get("cat") in microseconds:
            microseconds[event["cat"]].append(event["dur"])
    if not microseconds["kernel"]:
        return Kernels(kernels_reason="the profiler saw no kernel: CUPTI may be missing or its use not permitted")
    return Kernels(
        kernels=len(microseconds["kernel"]) / steps,
        kernel_s=sum(microseconds["kernel"]) / 1e6 / steps,
        memcpy_s=sum(microseconds["gpu_memcpy"]) / 1e6 / steps,
    )


def launch_cost_s(device: torch.device, clock: Callable[[], float] = time.perf_counter) -> float | None:
    """Return the seconds from one launch to the next of a kernel that does next to nothing; None on a CPU.

    The kernel adds 1 to one number and is launched as a model's own are: from Python, through torch's dispatcher.
    """
    if device.type == "cpu":
        return None
    number = torch.zeros(1, device=device)
    return min(_launches_s(number, device, clock) for _ in range(ROUNDS)) / LAUNCHES


def _launches_s(number: torch.Tensor, device: torch.device, clock: Callable[[], float]) -> float:
    synchronise(device)
    started = clock()
    for _ in range(LAUNCHES):
        number.add_(1)
    synchronise(device)
    return clock() - started


class _OpCounter(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.ops = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.ops += 1
        return func(*args, **(kwargs or {}))


def count_ops(step: Step) -> int:
    """Return the number of aten operators that `step` calls, in its backward pass too."""
    with _OpCounter() as counter:
        step()
    return counter.ops
