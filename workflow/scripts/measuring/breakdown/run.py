"""One instrumented pass from its settings to its record."""

import sys
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import torch

from measuring.accelerator import nvml_device
from measuring.breakdown.kernels import PROFILED_STEPS, Kernels, count_ops, launch_cost_s, profile_kernels
from measuring.breakdown.parts import OTHER, PARTS, StepParts, timer_for
from measuring.breakdown.settings import BreakdownSettings
from measuring.breakdown.steps import (
    Pace,
    PlainStep,
    ResidentStep,
    Step,
    endless,
    sample_pace,
    sample_parts,
    warm_up,
)
from measuring.breakdown.window import Window, watched
from measuring.checks import check_classes, check_last_step
from measuring.data import content_hash, load_images
from measuring.devices import open_device
from measuring.exclusive import machine_to_ourselves
from measuring.grant import load_average
from measuring.knobs import Knobs
from measuring.loops import build_loop, place_model
from measuring.machine import describe_machine
from measuring.measurement import utc_now
from measuring.models import build_model
from measuring.numerics import Numerics, set_precision
from measuring.observer import Observer
from measuring.outcome import outcome
from measuring.record import write_record
from measuring.resident_loop import ResidentLoop
from measuring.software import describe_software
from measuring.switches import set_switches
from measuring.threads import Threads, set_threads
from measuring.timing import stopwatch_for

SCHEMA_VERSION = 1
PROTOCOL_VERSION = 1
"""Raised when the meaning of a part changes, so that old and new records are never compared."""
WHOLE = "not taken apart: the whole step is one graph"


@dataclass(kw_only=True)
class Breakdown:
    """A pass so far; one that fails half-way is recorded with its status alone."""

    settings: BreakdownSettings
    repeat: int
    threads: Threads
    shared: bool = False
    started: str = field(default_factory=utc_now)
    load_average: float | None = field(default_factory=load_average)
    status: str = "ok"
    status_reason: str | None = None
    numerics: Numerics | None = None
    knobs: Knobs | None = None
    parameters: int | None = None
    samples: list[StepParts] = field(default_factory=list)
    parts_reason: str | None = None
    pace: Pace | None = None
    window: Window | None = None
    kernels: Kernels = field(default_factory=Kernels)
    launch_s: float | None = None
    aten_ops: int | None = None

    @property
    def seed(self) -> int:
        """The seed of this repeat: that of the run with the same number."""
        return self.settings.run.seed + self.repeat


def record_breakdown(
    *,
    settings: BreakdownSettings,
    key: str,
    code_sha256: str,
    repeat: int,
    threads_granted: int,
    shared: bool,
    data: Path,
    checksum: Path,
    record: Path,
) -> None:
    """Train a few steps as `settings` say, take them apart and write the record.

    Out of memory and refused settings are results: they give a record with that status. Raises UserError when the
    pass could not take place at all, for instance without the accelerator asked for.
    """
    device = open_device(settings.run.device.type)
    requested = settings.run.device.threads
    threads = Threads(threads_requested=requested, threads_granted=threads_granted, threads_effective=None)
    with machine_to_ourselves(shared=shared):
        breakdown = Breakdown(settings=settings, repeat=repeat, threads=threads, shared=shared)
        ended = outcome(lambda: _measure(breakdown, device, data, checksum), settings.run.recipe.name)
        breakdown.status, breakdown.status_reason = ended
    identity = {"key": key, "code_sha256": code_sha256, "dataset_sha256": content_hash(checksum)}
    write_record(record, identity | describe(breakdown, device))
    print(summary(breakdown), file=sys.stderr, flush=True)


def _measure(breakdown: Breakdown, device: torch.device, data: Path, checksum: Path) -> None:
    settings = breakdown.settings
    breakdown.threads = set_threads(settings.run.device.threads, breakdown.threads.threads_granted)
    breakdown.numerics = set_precision(settings.run.recipe, device)
    breakdown.knobs = Knobs(settings.run.recipe, device)
    set_switches(breakdown.knobs)
    step = _step(breakdown, breakdown.knobs, device, data, checksum)
    warm_up(step, settings.warm_up_steps)
    whole = breakdown.knobs.active("graph")
    observer = Observer(device_type=device.type, threads=torch.get_num_threads(), gpu=nvml_device(device))
    breakdown.window = watched(observer, lambda: _sample_steps(breakdown, step, device, whole))
    breakdown.launch_s = launch_cost_s(device)  # before the profiler, which may stay attached and slow launches down
    breakdown.kernels = profile_kernels(step, device)
    breakdown.aten_ops = None if whole else _count_ops(step)


def _sample_steps(breakdown: Breakdown, step: Step, device: torch.device, whole: bool) -> None:
    """Take `steps` undisturbed steps, then as many in parts; a whole-step graph has no parts."""
    steps = breakdown.settings.steps
    if whole or device.type != "cpu":  # on a CPU nothing is synchronised, hence the parts disturb nothing
        breakdown.pace = sample_pace(step, stopwatch_for(device), steps)
    breakdown.parts_reason = WHOLE if whole else None
    breakdown.samples = [] if whole else sample_parts(step, timer_for(device), steps)


def _count_ops(step: Step) -> int:
    if isinstance(step, PlainStep):  # its batch is fetched before, so that the transformations are not counted
        step = replace(step, batches=iter([next(step.batches)]))
    return count_ops(step)


def _step(breakdown: Breakdown, knobs: Knobs, device: torch.device, data: Path, checksum: Path) -> Step:
    run = breakdown.settings.run
    images = load_images(data, checksum)
    check_classes(images, run)
    torch.manual_seed(breakdown.seed)
    model = place_model(build_model(run.model), device, knobs).train()
    check_last_step(model, run.recipe, len(images.train_images))
    breakdown.parameters = sum(weight.numel() for weight in model.parameters() if weight.requires_grad)
    loop = build_loop(model=model, images=images, recipe=run.recipe, device=device, seed=breakdown.seed, knobs=knobs)
    loop.prepare(knobs, lambda part: None)
    model.train()
    if isinstance(loop, ResidentLoop):
        return ResidentStep(loop)
    batches = endless(loop.train_batches)
    return PlainStep(model=model, optimizer=loop.optimizer, batches=batches, device=device)


def describe(breakdown: Breakdown, device: torch.device) -> dict[str, Any]:
    """Return the record, laid out as workflow/schemas/breakdown.schema.yaml, but for key and hashes."""
    settings, ok = breakdown.settings, breakdown.status == "ok"
    run = {name: value for name, value in asdict(settings.run).items() if name != "seed"}
    return {
        "schema_version": SCHEMA_VERSION,
        "protocol_version": PROTOCOL_VERSION,
        "recipe": settings.run.recipe.name,
        "model": settings.run.model.name,
        "device": settings.run.device.name,
        "repeat": breakdown.repeat,
        "seed": breakdown.seed,
        "status": breakdown.status,
        "status_reason": breakdown.status_reason,
        "settings": run | {"breakdown": {"warm_up_steps": settings.warm_up_steps, "steps": settings.steps}},
        "parameters": breakdown.parameters,
        "samples": [_sample(sample) for sample in breakdown.samples] if ok else [],
        "parts_reason": breakdown.parts_reason,
        "pace": asdict(breakdown.pace) if ok and breakdown.pace else None,
        "window_s": breakdown.window.window_s if ok and breakdown.window else None,
        "surroundings": asdict(breakdown.window.surroundings) if ok and breakdown.window else None,
        "profiled_steps": PROFILED_STEPS if breakdown.kernels.kernels is not None else 0,
        **asdict(breakdown.kernels),
        "launch_s": breakdown.launch_s,
        "aten_ops": breakdown.aten_ops,
        "numerics": asdict(breakdown.numerics or Numerics.unknown(settings.run.recipe.precision)),
        "active": breakdown.knobs.describe() if breakdown.knobs else {},
        **asdict(breakdown.threads),
        "machine": describe_machine(device) | {"load_average": breakdown.load_average, "shared": breakdown.shared},
        "software": describe_software(),
        "started": breakdown.started,
        "ended": utc_now(),
    }


def _sample(sample: StepParts) -> dict[str, Any]:
    host_s = {f"{name}_s": seconds for name, seconds in sample.host_s.items()}
    return {"images": sample.images, "step_s": sample.step_s, **host_s, "device_s": sample.device_s}


def summary(breakdown: Breakdown) -> str:
    """Return one line for a person: the mean step and the share of each part."""
    run = breakdown.settings.run
    name = f"breakdown {run.recipe.name} {run.model.name} {run.device.name} #{breakdown.repeat}"
    if breakdown.status != "ok":
        return f"{name}: {breakdown.status}, {breakdown.status_reason}"
    if breakdown.parts_reason and breakdown.pace:
        step_s = breakdown.pace.window_s / len(breakdown.pace.step_s)
        return f"{name}: {1000 * step_s:.2f} ms a step, {breakdown.parts_reason}"
    total = sum(sample.step_s for sample in breakdown.samples)
    shares = {part: sum(sample.host_s[part] for sample in breakdown.samples) / total for part in (*PARTS, OTHER)}
    texts = ", ".join(f"{part} {100 * share:.1f} %" for part, share in shares.items())
    return f"{name}: {1000 * total / len(breakdown.samples):.1f} ms a step: {texts}"
