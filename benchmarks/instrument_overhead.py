"""What the timing itself costs: the measured loop against the same loop without any of it.

`PYTHONPATH=workflow/scripts python benchmarks/instrument_overhead.py [cpu|cuda] [--loop plain] [--pairs 30]
[--steps 100]` appends a row to `benchmarks/instrument_overhead.csv`. It trains simple_cnn, the model with the shortest
steps, with a budget that takes note of every step: `plain` on batches that are in memory already, so that a real run's
share is smaller, `tuned` and `tuned_bf16` as those recipes do, compiled and captured where the device can. Each pair
runs both loops, in alternating order; the ratio of a pair is free of slow drift. On a noisy machine the ratio cannot
resolve a per mille, and its interval says so: there `instrument_share` counts, the time of the instrument's own calls
over the step of the fastest bare loop. On an accelerator the host makes these calls while the device is at work.
"""

import argparse
import csv
import math
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch
from torch import nn

from measuring.accelerator import describe_accelerator
from measuring.cores import physical_cores
from measuring.devices import open_device, synchronise
from measuring.exclusive import machine_to_ourselves
from measuring.instrument import idle_budget, instrument_step_s
from measuring.knobs import Knobs
from measuring.loops import build_loop, place_model
from measuring.machine import cpu_name
from measuring.models import build_model
from measuring.resident_loop import ResidentLoop
from measuring.settings import Recipe
from measuring.switches import set_switches
from measuring.timing import stopwatch_for
from measuring.training import train_epoch
from planning.recipes import resolve_recipe
from recipe_contender import CONFIG, model_settings, random_images
from reporting.statistics import linear_combination

BATCH_SIZE = 128
CONFIDENCE = 0.95
LOOPS = ("plain", "tuned", "tuned_bf16")
Batches = list[tuple[torch.Tensor, torch.Tensor]]


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two ways to train an epoch of the same model; `measured` returns the seconds that its stopwatch says."""

    model: nn.Module
    measured: Callable[[], float]
    bare: Callable[[], None]


def recipe_of(loop: str) -> Recipe:
    """Return the recipe of a loop; `plain` is that of `paper`, less its loader."""
    return resolve_recipe("paper" if loop == "plain" else loop, CONFIG["recipes"])


def pair_of(loop: str, device: torch.device, steps: int, knobs: Knobs) -> Pair:
    """Return the measured and the bare loop over so many steps, from the same weights each time."""
    torch.manual_seed(0)
    return plain_pair(device, steps) if loop == "plain" else resident_pair(loop, device, steps, knobs)


def plain_pair(device: torch.device, steps: int) -> Pair:
    """Return the pair of the plain loop, on random batches in memory."""
    batches = [(torch.randn(BATCH_SIZE, 3, 32, 32), torch.randint(10, (BATCH_SIZE,))) for _ in range(steps)]
    model = build_model(model_settings("simple_cnn")).to(device)
    optimizer = torch.optim.Adam(model.parameters())
    model.train()

    def measured() -> float:
        watch = stopwatch_for(device)
        train_epoch(
            model=model,
            batches=batches,  # type: ignore[arg-type]
            optimizer=optimizer,
            device=device,
            stopwatch=watch,
            budget=idle_budget(math.inf),
        )
        return watch.window_s

    return Pair(model=model, measured=measured, bare=lambda: bare_epoch(model, batches, optimizer, device))


def bare_epoch(model: nn.Module, batches: Batches, optimizer: torch.optim.Optimizer, device: torch.device) -> None:
    """Train one epoch as `train_epoch` does inside its window, with no mark, no budget and no loss kept."""
    for images, labels in batches:
        loss = nn.functional.cross_entropy(model(images.to(device)), labels.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def resident_pair(name: str, device: torch.device, steps: int, knobs: Knobs) -> Pair:
    """Return the pair of a recipe with resident images, prepared as a run prepares it."""
    recipe, images = recipe_of(name), random_images(BATCH_SIZE * steps)
    model = place_model(build_model(model_settings("simple_cnn")), device, knobs)
    loop = build_loop(model=model, images=images, recipe=recipe, device=device, seed=0, knobs=knobs)
    if not isinstance(loop, ResidentLoop):
        raise ValueError(f"recipe {name} has the loop {type(loop).__name__}, expected resident images")
    loop.prepare(knobs, lambda part: None)
    loop.model.train()

    def measured() -> float:
        watch = stopwatch_for(device)
        loop.train_epoch(stopwatch=watch, budget=idle_budget(math.inf))
        return watch.window_s

    return Pair(model=model, measured=measured, bare=lambda: bare_resident_epoch(loop))


def bare_resident_epoch(loop: ResidentLoop) -> None:
    """Train one epoch as `ResidentLoop.train_epoch` does inside its window, with no mark and no budget."""
    for size in loop.start_epoch():
        loop.take_step(size)
    loop.draw_next_epoch()


def seconds_of_pair(pair: Pair, device: torch.device, bare_first: bool) -> tuple[float, float]:
    """Return the seconds of the measured and of the bare loop, each from device idle to device idle."""
    pair.bare()  # allocations and algorithm choice of the first steps belong to neither
    seconds = {}
    for name in ("bare", "measured") if bare_first else ("measured", "bare"):
        synchronise(device)
        seconds[name] = pair.measured() if name == "measured" else seconds_of(pair.bare, device)
    return seconds["measured"], seconds["bare"]


def seconds_of(work: Callable[[], None], device: torch.device) -> float:
    """Return the seconds until the device has done the work."""
    started = time.perf_counter()
    work()
    synchronise(device)
    return time.perf_counter() - started


def overhead(timed: list[tuple[float, float]], steps: int, instrument_s: float) -> dict[str, Any]:
    """Return measured over bare, as the geometric mean of the pairs with its interval, and the instrument's share."""
    ratio = linear_combination([[math.log(ours / bare) for ours, bare in timed]], [1], confidence=CONFIDENCE).exp()
    step_s = min(bare for _, bare in timed) / steps  # a busy machine lengthens steps and would flatter the share
    return {
        "pairs": len(timed),
        "steps": steps,
        "fastest_bare_step_ms": 1000 * step_s,
        "ratio": ratio.value,
        "ratio_low": ratio.low,
        "ratio_high": ratio.high,
        "instrument_us": 1e6 * instrument_s,
        "instrument_share": instrument_s / step_s,
    }


def conditions(device: torch.device, loop: str, inactive: str) -> dict[str, Any]:
    """Return where and with what the loops ran."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": cpu_name() if device.type == "cpu" else describe_accelerator(device)["name"],
        "python": platform.python_version(),
        "torch": torch.__version__,
        "device": device.type,
        "threads": torch.get_num_threads(),
        "model": "simple_cnn",
        "loop": loop,
        "inactive": inactive,
        "batch_size": BATCH_SIZE,
    }


def append(path: Path, row: dict[str, Any]) -> None:
    """Add a row to a CSV file, with a header if it is new."""
    new = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(row), lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerow({name: f"{value:.6g}" if isinstance(value, float) else value for name, value in row.items()})


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(description="Measure what the timing itself costs.")
    parser.add_argument("device", nargs="?", default="cpu", help="cpu, cuda, ...")
    parser.add_argument("--loop", default="plain", choices=LOOPS)
    parser.add_argument("--pairs", type=int, default=30)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".csv"))
    wanted = parser.parse_args()
    device = open_device(wanted.device)
    torch.set_num_threads(physical_cores())
    knobs = Knobs(recipe_of(wanted.loop), device)
    set_switches(knobs)
    with machine_to_ourselves():  # compilation would disturb another timed run, too
        pair = pair_of(wanted.loop, device, wanted.steps, knobs)
        timed = [seconds_of_pair(pair, device, bare_first=bool(index % 2)) for index in range(wanted.pairs)]
        instrument_s = instrument_step_s(lambda: stopwatch_for(device), idle_budget(math.inf))
    row = conditions(device, wanted.loop, knobs.inactive()) | overhead(timed, wanted.steps, instrument_s)
    append(wanted.out, row)
    print("\n".join(f"{name}: {value}" for name, value in row.items()))


if __name__ == "__main__":
    main()
