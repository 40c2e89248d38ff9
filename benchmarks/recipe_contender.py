"""A contender of tuned_steps.py: one recipe of ours on one model and device."""

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml

from lineage.git import git_state
from measuring.breakdown.kernels import profile_kernels
from measuring.breakdown.steps import PlainStep, ResidentStep, Step, endless
from measuring.budget import Budget
from measuring.cores import wanted_threads
from measuring.data import Images
from measuring.knobs import Knobs
from measuring.loops import build_loop, place_model
from measuring.machine import describe_machine
from measuring.measurement import utc_now
from measuring.models import build_model
from measuring.plain_loop import PlainLoop
from measuring.resident_loop import ResidentLoop
from measuring.settings import ModelSettings
from measuring.switches import set_switches
from measuring.timing import stopwatch_for
from planning.recipes import resolve_recipe
from turns import Reply, answer

CONFIG = yaml.safe_load((Path(__file__).parents[1] / "config" / "config.yaml").read_text(encoding="utf-8"))
MODELS = CONFIG["models"] | {"resnet152": {"builder": "resnet152", "num_classes": 1000}}
PLAIN_STEP = {"compile": "none", "graph": "none"}
VARIANTS: dict[str, dict[str, Any]] = {
    "tuned": {},
    "bf16": {"precision": "bf16"},
    "fp16": {"precision": "fp16"},
    "contiguous": {"memory_format": "contiguous"},
    "unfused": {"fused_optimizer": False},
    "no_flush": {"flush_denormals": False},
    "no_retain": {"retain_host_memory": False},
    "compile_cpu": {"compile": "inductor"},
    "no_compile": {"compile": "none"},
    "no_graph": {"graph": "none"},
    "eager": PLAIN_STEP,
    "loader": PLAIN_STEP | {"input_pipeline": "loader"},
    "paper": CONFIG["recipes"]["paper"],
}


class StepLimit(Budget):
    """Ends an epoch after so many steps; None: never."""

    def __init__(self, steps: int | None) -> None:
        """Nothing is counted yet."""
        endless = Budget.endless()
        super().__init__(budget_s=None, target_half_width=None, whole=endless.whole)
        self._steps_left = steps

    def step(self, elapsed_s: float, images: int) -> bool:
        """Count a step and return whether it was the last one."""
        if self._steps_left is None:
            return False
        self._steps_left -= 1
        return self._steps_left <= 0


def random_images(count: int) -> Images:
    """Return as many training images and a fifth as many test images, of noise."""
    draw = np.random.default_rng(0)
    parts = [
        (draw.integers(0, 256, (n, 32, 32, 3), dtype=np.uint8), draw.integers(0, 10, n)) for n in (count, count // 5)
    ]
    (train, train_labels), (test, test_labels) = parts
    return Images(train_images=train, train_labels=train_labels, test_images=test, test_labels=test_labels)


def model_settings(name: str) -> ModelSettings:
    """Return a model of the default study, or resnet152."""
    arguments = dict(MODELS[name])
    return ModelSettings(name=name, builder=arguments.pop("builder"), arguments=arguments)


def occasion(device: torch.device) -> Reply:
    """Return what computes, with which software, and today's date; `commit` ends in -dirty where files differ."""
    machine, git = describe_machine(device), git_state(Path(__file__).parent)
    accelerator = machine["accelerator"] or {}
    return {
        "machine": accelerator.get("name") or machine["cpu_name"],
        "date": utc_now()[:10],
        "commit": git and f"{git['commit']}{'-dirty' if git['dirty'] else ''}",
        "torch": torch.__version__,
        "driver": accelerator.get("driver"),
        "cpu_name": machine["cpu_name"],
    }


def prepare(arguments: argparse.Namespace) -> dict[str, Callable[[], Reply]]:
    """Build, compile and capture the recipe; return what it answers to each word."""
    device = torch.device(arguments.device)
    recipe = replace(resolve_recipe("tuned", CONFIG["recipes"]), **VARIANTS[arguments.variant])
    knobs, parts_s = Knobs(recipe, device), dict[str, float]()
    set_switches(knobs)
    torch.set_num_threads(wanted_threads("auto"))
    torch.manual_seed(0)
    model = place_model(build_model(model_settings(arguments.model)), device, knobs)
    images = random_images(arguments.images)
    loop = build_loop(model=model, images=images, recipe=recipe, device=device, seed=0, knobs=knobs)
    last = time.perf_counter()

    def finish(part: str) -> None:
        nonlocal last
        parts_s[part], last = time.perf_counter() - last, time.perf_counter()

    loop.prepare(knobs, finish)
    about = {
        "threads": torch.get_num_threads(),
        "compile_s": parts_s.get("compile"),
        "capture_s": parts_s.get("capture"),
        "inactive": knobs.inactive() or None,
        "software": f"torch {torch.__version__}",
        **occasion(device),
    }
    return {
        "ready": lambda: about,
        "turn": lambda: train_epoch(loop, arguments.steps, device),
        "kernels": lambda: kernels(loop, device),
    }


def train_epoch(loop: PlainLoop | ResidentLoop, steps: int | None, device: torch.device) -> Reply:
    """Train and evaluate an epoch."""
    watch, test_watch = stopwatch_for(device), stopwatch_for(device)
    _, sizes = loop.train_epoch(stopwatch=watch, budget=StepLimit(steps))
    evaluation = loop.evaluate(watch=test_watch) if steps is None else None
    return {"train_s": watch.window_s, "steps": len(sizes), "eval_s": evaluation.eval_s if evaluation else None}


def kernels(loop: PlainLoop | ResidentLoop, device: torch.device) -> Reply:
    """Count the kernels of a step and add up their durations."""
    loop.model.train()
    step: Step = ResidentStep(loop) if isinstance(loop, ResidentLoop) else _plain_step(loop, device)
    step()
    found = profile_kernels(step, device)
    return {"kernels": found.kernels, "kernel_ms": None if found.kernel_s is None else 1000 * found.kernel_s}


def _plain_step(loop: PlainLoop, device: torch.device) -> PlainStep:
    return PlainStep(model=loop.model, optimizer=loop.optimizer, batches=endless(loop.train_batches), device=device)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    for option in ("--variant", "--model", "--device"):
        parser.add_argument(option, required=True)
    parser.add_argument("--images", type=int, required=True)
    parser.add_argument("--steps", type=int, default=None)
    parsed = parser.parse_args(sys.argv[1:])
    answer(lambda: prepare(parsed))
