"""What the device can do at best: a large matrix product and a large copy, measured after the training.

On a CPU torch takes products and convolutions to different libraries (MKL and oneDNN), and on an AMD EPYC the first is
little more than half as fast as the second. So the product is made there in both ways, the second time as a convolution
with a kernel of 1 x 1, which no algorithm can shorten, and the faster one counts. Its result is new memory each time:
left to the system, that took half as long as the arithmetic, so a process that has measured ceilings keeps its memory.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import torch

from measuring.devices import synchronise
from measuring.numerics import Numerics
from measuring.precision import AUTOCAST
from measuring.switches import retain_memory

ROUNDS = 5  # the best of five: a ceiling is what nothing disturbed


@dataclass(frozen=True, kw_only=True)
class Ceilings:
    """FLOP/s of a square product, bytes/s (read plus written) of a copy, and the arithmetic of the product."""

    ceiling_flop_per_s: float
    ceiling_bytes_per_s: float
    ceiling_precision: str


def measure_ceilings(device: torch.device, numerics: Numerics) -> Ceilings:
    """Measure both in the fastest arithmetic that the run was allowed to use."""
    cpu = device.type == "cpu"
    side, floats = (2048, 2**25) if cpu else (8192, 2**26)
    precision = _fastest(numerics)
    product_s = _product_s(device, side, precision)
    return Ceilings(
        ceiling_flop_per_s=2 * side**3 / (min(product_s, _convolution_s(side, precision)) if cpu else product_s),
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


def _convolution_s(side: int, precision: str) -> float:
    """Return the seconds of as much arithmetic by the library of a CPU's convolutions; each pixel is a row."""
    channels, pixels = 512, 32
    dtype = AUTOCAST.get(precision, torch.float32)
    shape = side**3 // channels**2 // pixels**2, channels, pixels, pixels
    images = torch.randn(shape).to(dtype).to(memory_format=torch.channels_last)
    weights = torch.randn(channels, channels, 1, 1).to(dtype)
    retain_memory()
    return _best_s(lambda: torch.nn.functional.conv2d(images, weights), torch.device("cpu"))


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
