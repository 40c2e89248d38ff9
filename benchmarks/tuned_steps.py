"""Milliseconds per training step of the tuned recipe and of variants of it, whole epochs with their data pipeline.

`PYTHONPATH=workflow/scripts python benchmarks/tuned_steps.py --device cuda --models simple_cnn resnet18 --variants
tuned bf16 --epochs 5 --output tuned_steps.csv` prints and writes a row a model and variant: the median epoch over its
steps, the fastest and slowest epoch, the evaluation, the start-up parts, the kernels of a step and the sum of their
durations. Images are random: the time of a step does not depend on what they show.

Each model has a process of its own. The processes compile at the same time and are timed one at a time; the variants of
a model take turns epoch by epoch, so that drift falls on all of them.
"""

import argparse
import csv
import fcntl
import math
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml

from measuring.breakdown.kernels import profile_kernels
from measuring.breakdown.steps import PlainStep, ResidentStep, endless
from measuring.budget import Budget
from measuring.data import Images
from measuring.knobs import Knobs
from measuring.loops import build_loop, place_model
from measuring.models import build_model
from measuring.plain_loop import PlainLoop
from measuring.projection import Whole
from measuring.resident_loop import ResidentLoop
from measuring.settings import ModelSettings, Recipe
from measuring.timing import stopwatch_for
from planning.recipes import resolve_recipe

ROOT = Path(__file__).parents[1]
CONFIG = yaml.safe_load((ROOT / "config" / "config.yaml").read_text(encoding="utf-8"))
MODELS = CONFIG["models"] | {"resnet152": {"builder": "resnet152", "num_classes": 1000}}
VARIANTS: dict[str, dict[str, Any]] = {
    "tuned": {},
    "bf16": {"precision": "bf16"},
    "fp16": {"precision": "fp16"},
    "contiguous": {"memory_format": "contiguous"},
    "unfused": {"fused_optimizer": False},
    "compile_cpu": {"compile": "inductor"},
    "cudnn_benchmark": {"cudnn_benchmark": True},
    "no_compile": {"compile": "none"},
    "no_graph": {"graph": "none"},
    "eager": {"compile": "none", "graph": "none"},
    "loader": {"compile": "none", "graph": "none", "input_pipeline": "loader"},
    "paper": CONFIG["recipes"]["paper"],
}
COLUMNS = (
    *("model", "variant", "device", "threads", "steps", "epochs", "step_ms", "step_ms_fastest", "step_ms_slowest"),
    *("eval_s", "compile_s", "capture_s", "kernels", "kernel_ms", "ratio_to_kernels", "peak_gb", "inactive", "torch"),
)


@dataclass(kw_only=True)
class Contender:
    """One variant, ready to train, and the seconds per step of its epochs."""

    variant: str
    loop: PlainLoop | ResidentLoop
    knobs: Knobs
    parts_s: dict[str, float]
    step_s: list[float]
    eval_s: list[float]


def random_images(count: int) -> Images:
    """Return as many training images and a fifth as many test images, of noise."""
    draw = np.random.default_rng(0)
    parts = [
        (draw.integers(0, 256, (n, 32, 32, 3), dtype=np.uint8), draw.integers(0, 10, n)) for n in (count, count // 5)
    ]
    (train, train_labels), (test, test_labels) = parts
    return Images(train_images=train, train_labels=train_labels, test_images=test, test_labels=test_labels)


def recipe_of(variant: str) -> Recipe:
    """Return the tuned recipe with what a variant changes."""
    return replace(resolve_recipe("tuned", CONFIG["recipes"]), **VARIANTS[variant])


def contender(model: str, variant: str, images: Images, device: torch.device) -> Contender:
    """Build, compile and capture one variant."""
    recipe, arguments = recipe_of(variant), dict(MODELS[model])
    settings = ModelSettings(name=model, builder=arguments.pop("builder"), arguments=arguments)
    torch.backends.cudnn.benchmark = recipe.cudnn_benchmark
    torch.compiler.reset()
    knobs, parts_s, last = Knobs(recipe, device), dict[str, float](), time.perf_counter()
    torch.manual_seed(0)
    network = place_model(build_model(settings), device, knobs)
    loop = build_loop(model=network, images=images, recipe=recipe, device=device, seed=0, knobs=knobs)

    def finish(part: str) -> None:
        nonlocal last
        parts_s[part], last = time.perf_counter() - last, time.perf_counter()

    loop.prepare(knobs, finish)
    return Contender(variant=variant, loop=loop, knobs=knobs, parts_s=parts_s, step_s=[], eval_s=[])


@contextmanager
def alone(lock: Path) -> Iterator[None]:
    """Wait until no other process of this benchmark is being timed."""
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


class StepLimit(Budget):
    """Ends an epoch after so many steps; None: never."""

    def __init__(self, steps: int | None) -> None:
        """Nothing is counted yet."""
        super().__init__(budget_s=None, target_half_width=None, whole=Whole(epochs=1, images_per_epoch=1, batch_size=1))
        self._steps_left = math.inf if steps is None else steps

    def step(self, elapsed_s: float, images: int) -> bool:
        """Count a step and return whether it was the last one."""
        self._steps_left -= 1
        return self._steps_left <= 0


def time_epochs(contenders: list[Contender], epochs: int, steps: int | None, device: torch.device) -> None:
    """Time the contenders in turn; the first round belongs to no result."""
    for number in range(epochs + 1):
        for each in contenders:
            watch, test_watch = stopwatch_for(device), stopwatch_for(device)
            _, sizes = each.loop.train_epoch(stopwatch=watch, budget=StepLimit(steps))
            evaluation = each.loop.evaluate(watch=test_watch) if steps is None else None
            if number:
                each.step_s.append(watch.window_s / len(sizes))
                each.eval_s.append(evaluation.eval_s if evaluation else float("nan"))


def row(model: str, each: Contender, device: torch.device) -> dict[str, Any]:
    """Return a row of the table, with the kernels of a step counted by the profiler."""
    loop, step_ms = each.loop, [1000 * seconds for seconds in each.step_s]
    if isinstance(loop, ResidentLoop):
        step: Callable[[], int] = ResidentStep(loop)
    else:
        loop.model.train()
        batches = endless(loop.train_batches)
        step = PlainStep(model=loop.model, optimizer=loop.optimizer, batches=batches, device=device)
    step()
    kernels = profile_kernels(step, device)
    kernel_ms = None if kernels.kernel_s is None else 1000 * kernels.kernel_s
    return {
        "model": model,
        "variant": each.variant,
        "device": device.type,
        "threads": torch.get_num_threads(),
        "steps": loop.steps,
        "epochs": len(step_ms),
        "step_ms": statistics.median(step_ms),
        "step_ms_fastest": min(step_ms),
        "step_ms_slowest": max(step_ms),
        "eval_s": statistics.median(each.eval_s),
        "compile_s": each.parts_s.get("compile"),
        "capture_s": each.parts_s.get("capture"),
        "kernels": kernels.kernels,
        "kernel_ms": kernel_ms,
        "ratio_to_kernels": statistics.median(step_ms) / kernel_ms if kernel_ms else None,
        "peak_gb": torch.cuda.max_memory_allocated() / 1e9 if device.type == "cuda" else None,
        "inactive": each.knobs.inactive() or None,
        "torch": torch.__version__,
    }


def measure(model: str, arguments: argparse.Namespace) -> None:
    """Measure the variants of one model and write their rows."""
    device, images = torch.device(arguments.device), random_images(arguments.images)
    contenders = [contender(model, variant, images, device) for variant in arguments.variants]
    print(f"{model}: {[(each.variant, each.parts_s, each.knobs.inactive()) for each in contenders]}", flush=True)
    with alone(arguments.lock):
        time_epochs(contenders, arguments.epochs, arguments.steps, device)
        rows = [row(model, each, device) for each in contenders]
    with arguments.output.open("a", newline="", encoding="utf-8") as file:
        csv.DictWriter(file, COLUMNS, lineterminator="\n").writerows(rows)


def main() -> int:
    """Measure each model in a process of its own and print the table."""
    arguments = parsed()
    if arguments.process:
        measure(arguments.process, arguments)
        return 0
    with arguments.output.open("w", newline="", encoding="utf-8") as file:
        csv.DictWriter(file, COLUMNS, lineterminator="\n").writeheader()
    command = [sys.executable, *sys.argv, "--process"]
    processes = [subprocess.Popen([*command, model]) for model in arguments.models]
    failed = sum(process.wait() != 0 for process in processes)
    print(arguments.output.read_text(encoding="utf-8"))
    return failed


def parsed() -> argparse.Namespace:
    """Return the command line's arguments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--models", nargs="+", default=["simple_cnn", "resnet18", "resnet50"], choices=MODELS)
    parser.add_argument("--variants", nargs="+", default=["tuned"], choices=VARIANTS)
    parser.add_argument("--epochs", type=int, default=5, help="timed epochs of each variant")
    parser.add_argument("--steps", type=int, default=None, help="end each epoch after so many steps, unevaluated")
    parser.add_argument("--images", type=int, default=50_000, help="training images")
    parser.add_argument("--output", type=Path, default=Path("tuned_steps.csv"))
    parser.add_argument("--lock", type=Path, default=Path(tempfile.gettempdir()) / "tuned_steps.lock")
    parser.add_argument("--process", default=None, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
