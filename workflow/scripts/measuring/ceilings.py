"""What the device can do at best: one large matrix product and one large copy, measured after the training."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import torch

from measuring.devices import synchronise
from measuring.numerics import Numerics
from measuring.precision import AUTOCAST

ROUNDS = 5  # the best of five: a ceiling is what nothing disturbed


@dataclass(frozen=True, kw_only=True)
class Ceilings:
    """FLOP/s of a square product, bytes/s (read plus written) of a copy, and the arithmetic of the product."""

    ceiling_flop_per_s: float
    ceiling_bytes_per_s: float
    ceiling_precision: str


def measure_ceilings(device: torch.device, numerics: Numerics) -> Ceilings:
    """Measure both in the fastest arithmetic that the run was allowed to use."""
    side, floats = (2048, 2**25) if device.type == "cpu" else (8192, 2**26)
    precision = _fastest(numerics)
    return Ceilings(
        ceiling_flop_per_s=2 * side**3 / _product_s(device, side, precision),
        ceiling_bytes_per_s=2 * 4 * floats / _copy_s(device, floats),
        ceiling_precision=precision,
    )


def _fastest(numerics: Numerics) -> str:
    if numerics.precision in AUTOCAST:
        return numerics.precision
    return "tf32" if numerics.convolution_tf32 or numerics.matmul_tf32 else "fp32"


def _product_s(device: torch.device, side: int, precision: str) -> float:
    dtype = AUTOCAST.get(precision, torch.float32)
    left, right = (torch.randn(side, side, device=device).to(dtype) for _ in range(2))
    product = torch.empty(side, side, device=device, dtype=dtype)
    if device.type == "cuda":
        torch.backends.cuda.matmul.fp32_precision = "tf32" if precision == "tf32" else "ieee"
    return _best_s(lambda: torch.matmul(left, right, out=product), device)


def _copy_s(device: torch.device, floats: int) -> float:
    source, target = torch.randn(floats, device=device), torch.empty(floats, device=device)
    return _best_s(lambda: target.copy_(source), device)


def _best_s(work: Callable[[], object], device: torch.device) -> float:
    calls = 1 if device.type == "cpu" else 10  # on an accelerator one call is not much longer than its launch
    work()
    return min(_timed_s(work, device, calls) for _ in range(ROUNDS))


def _timed_s(work: Callable[[], object], device: torch.device, calls: int) -> float:
    synchronise(device)
    started = time.perf_counter()
    for _ in range(calls):
        work()
    synchronise(device)
    return (time.perf_counter() - started) / calls
