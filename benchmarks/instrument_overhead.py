"""What the timing itself costs: the measured loop against the same loop without any of it.

`PYTHONPATH=workflow/scripts python benchmarks/instrument_overhead.py [device] [pairs] [steps]` trains simple_cnn, the
model with the shortest steps, on batches that are in memory already. Each pair runs both loops, in alternating order;
the ratio of a pair is free of slow drift. On a noisy machine the ratio cannot resolve a per mille: there the second
line counts, the time of the instrument's own calls over the median step.
"""

import statistics
import sys
import time

import torch
from torch import nn

from measuring.devices import synchronise
from measuring.models import build_model
from measuring.settings import ModelSettings
from measuring.timing import stopwatch_for
from measuring.training import train_epoch

MODEL = ModelSettings(name="simple_cnn", builder="simple_cnn", arguments={"num_classes": 10})
CALLS = 20_000
Batches = list[tuple[torch.Tensor, torch.Tensor]]


def bare_epoch(model: nn.Module, batches: Batches, optimizer: torch.optim.Optimizer, device: torch.device) -> None:
    """Train one epoch as `train_epoch` does, with no mark, no budget and no loss kept."""
    model.train()
    for images, labels in batches:
        loss = nn.functional.cross_entropy(model(images.to(device)), labels.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def seconds_of_pair(device: torch.device, batches: Batches, bare_first: bool) -> tuple[float, float]:
    """Return the seconds of the measured and of the bare loop, each from device idle to device idle."""
    model = build_model(MODEL).to(device)
    optimizer = torch.optim.Adam(model.parameters())

    def measured() -> None:
        watch = stopwatch_for(device)
        train_epoch(
            model=model,
            batches=batches,  # type: ignore[arg-type]
            optimizer=optimizer,
            device=device,
            stopwatch=watch,
            seconds_left=float("inf"),
            steps_owed=0,
        )

    loops = {"measured": measured, "bare": lambda: bare_epoch(model, batches, optimizer, device)}
    loops["bare"]()  # allocations and algorithm choice of the first steps belong to neither
    seconds = {}
    for name in ("bare", "measured") if bare_first else ("measured", "bare"):
        synchronise(device)
        started = time.perf_counter()
        loops[name]()
        synchronise(device)
        seconds[name] = time.perf_counter() - started
    return seconds["measured"], seconds["bare"]


def seconds_per_step_of_instrument(device: torch.device) -> float:
    """Return the host seconds that one step's mark and budget check take."""
    watch = stopwatch_for(device)
    watch.start()
    started = time.perf_counter()
    for _ in range(CALLS):
        watch.lap()
        watch.elapsed_s()
    return (time.perf_counter() - started) / CALLS


def main(device_type: str = "cpu", pairs: str = "10", steps: str = "100") -> None:
    """Print the ratio of the loops, and the instrument's own time over a step."""
    device = torch.device(device_type)
    batches = [(torch.randn(128, 3, 32, 32), torch.randint(10, (128,))) for _ in range(int(steps))]
    timed = [seconds_of_pair(device, batches, bare_first=bool(index % 2)) for index in range(int(pairs))]
    ratios = sorted(measured / bare for measured, bare in timed)
    step_s = statistics.median(bare for _, bare in timed) / int(steps)
    own_s = seconds_per_step_of_instrument(device)
    spread = f"{ratios[0]:.4f} to {ratios[-1]:.4f}, n = {pairs} pairs"
    print(f"measured / bare: median {statistics.median(ratios):.4f}, {spread}")
    print(f"instrument: {own_s * 1e6:.2f} us of a step of {step_s * 1e3:.2f} ms, {own_s / step_s:.4%}")


if __name__ == "__main__":
    main(*sys.argv[1:])
