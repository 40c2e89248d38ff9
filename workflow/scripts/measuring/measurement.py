"""What is known of a run, filled in as the run goes on, and its translation into a record."""

import math
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from typing import Any

import torch

from measuring.ceilings import Ceilings
from measuring.energy import total_j
from measuring.first_costs import first_epoch_extra_s
from measuring.grant import load_average
from measuring.knobs import Knobs
from measuring.machine import describe_machine
from measuring.memory import PeakMemory
from measuring.numerics import Numerics
from measuring.observer import Observer
from measuring.projection import Whole, project, steady_from_step
from measuring.settings import RunSettings
from measuring.software import describe_software
from measuring.startup import Startup
from measuring.threads import Threads
from measuring.training import Epoch
from measuring.work import Work

PROJECTED = ("projected_train_s", "projected_train_low_s", "projected_train_high_s")
WORK = ("parameters", "forward_flop_per_sample", "training_flop_per_sample")
ENERGY_REASONS = ("gpu_energy_reason", "cpu_energy_reason")
SCHEMA_VERSION = 1
PROTOCOL_VERSION = 1
"""Raised when the meaning of a measurement changes, so that old and new records are never compared."""


def utc_now() -> str:
    """Return the time as ISO 8601, UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(kw_only=True)
class Measurement:
    """A run so far; one that fails half-way is recorded with what it has."""

    settings: RunSettings
    repeat: int
    threads: Threads
    shared: bool = False
    startup: Startup = field(default_factory=Startup)
    started: str = field(default_factory=utc_now)
    load_average: float | None = field(default_factory=load_average)
    status: str = "ok"
    status_reason: str | None = None
    numerics: Numerics | None = None
    knobs: Knobs | None = None
    work: Work | None = None
    ceilings: Ceilings | None = None
    memory: PeakMemory | None = None
    observer: Observer | None = None
    instrument_step_s: float | None = None
    train_images: int = 0
    epochs: list[Epoch] = field(default_factory=list)

    @property
    def seed(self) -> int:
        """The seed of this repeat, the same on every device."""
        return self.settings.seed + self.repeat

    @property
    def step_s(self) -> list[float]:
        """Seconds of every step that ran."""
        return [seconds for epoch in self.epochs for seconds in epoch.step_s]

    @property
    def step_images(self) -> list[int]:
        """Images of every step that ran."""
        return [images for epoch in self.epochs for images in epoch.step_images]

    @property
    def whole(self) -> Whole:
        """What the whole recipe asks for."""
        recipe = self.settings.recipe
        return Whole(epochs=recipe.epochs, images_per_epoch=self.train_images, batch_size=recipe.batch_size)

    @property
    def steps_total(self) -> int:
        """Steps that the whole recipe has."""
        return self.settings.recipe.epochs * math.ceil(self.train_images / self.settings.recipe.batch_size)

    @property
    def images_total(self) -> int:
        """Training images that the whole recipe sees, repetitions counted."""
        return self.settings.recipe.epochs * self.train_images


def describe(measurement: Measurement, device: torch.device) -> dict[str, Any]:
    """Return the record of a run, laid out as workflow/schemas/run.schema.yaml, but for key and hashes."""
    settings = measurement.settings
    named = asdict(settings)
    named.pop("seed")
    return {
        "schema_version": SCHEMA_VERSION,
        "protocol_version": PROTOCOL_VERSION,
        "recipe": settings.recipe.name,
        "model": settings.model.name,
        "device": settings.device.name,
        "repeat": measurement.repeat,
        "seed": measurement.seed,
        "status": measurement.status,
        "status_reason": measurement.status_reason,
        "settings": named,
        **{name: getattr(measurement.work, name, None) for name in WORK},
        **_progress(measurement),
        **_times(measurement),
        **_first_costs(measurement),
        "instrument_s": _instrument_s(measurement),
        **_energy(measurement),
        **_fields_or_none(measurement.memory, PeakMemory),
        **_learning(measurement),
        **_fields_or_none(measurement.ceilings, Ceilings),
        "numerics": asdict(measurement.numerics or Numerics.unknown(settings.recipe.precision)),
        "active": measurement.knobs.describe() if measurement.knobs else {},
        **asdict(measurement.threads),
        "machine": describe_machine(device) | {"load_average": measurement.load_average, "shared": measurement.shared},
        "software": describe_software(),
        "started": measurement.started,
        "ended": utc_now(),
    }


def _fields_or_none(value: Any, kind: type) -> dict[str, Any]:
    return asdict(value) if value is not None else {each.name: None for each in fields(kind)}


def _progress(measurement: Measurement) -> dict[str, Any]:
    epochs = measurement.epochs
    return {
        "epochs_done": sum(epoch.eval_s is not None for epoch in epochs),
        "steps_done": sum(epoch.steps for epoch in epochs),
        "steps_total": measurement.steps_total or None,
        "images_done": sum(epoch.images for epoch in epochs),
        "images_total": measurement.images_total or None,
    }


def _times(measurement: Measurement) -> dict[str, Any]:
    """Return mode and clocks; a run that is not ok has no times but its start-up."""
    if measurement.status != "ok":
        return {"mode": None, **_clocks(measurement)}
    elapsed_s = math.fsum(epoch.train_s for epoch in measurement.epochs)
    eval_s = math.fsum(epoch.eval_s or 0.0 for epoch in measurement.epochs)
    if len(measurement.step_s) == measurement.steps_total:
        total_s = measurement.startup.startup_s + elapsed_s + eval_s
        clocks = _clocks(measurement, elapsed_train_s=elapsed_s, train_s=elapsed_s, eval_s=eval_s, total_s=total_s)
        return {"mode": "measured", **clocks}
    projection = project(measurement.epochs, measurement.whole)
    projected = {name: getattr(projection, name) for name in PROJECTED}
    clocks = _clocks(measurement, elapsed_train_s=elapsed_s, eval_s=eval_s or None, **projected)
    target = measurement.settings.device.target_half_width
    return {"mode": "estimated", **clocks, "projection": projection.basis(target)}


def _clocks(measurement: Measurement, **known: float | None) -> dict[str, Any]:
    names = ["elapsed_train_s", "train_s", *PROJECTED, "projection", "eval_s", "total_s"]
    parts_s = measurement.startup.parts_s
    startup = {"startup_s": measurement.startup.startup_s if parts_s else None, "startup_parts_s": parts_s}
    return dict.fromkeys(names) | startup | known


def _first_costs(measurement: Measurement) -> dict[str, Any]:
    if measurement.status != "ok":
        return dict.fromkeys(("first_step_s", "first_epoch_extra_s", "steady_from_step"))
    epoch_s = [epoch.train_s for epoch in measurement.epochs if epoch.eval_s is not None]
    return {
        "first_step_s": measurement.step_s[0],
        "first_epoch_extra_s": first_epoch_extra_s(epoch_s),
        "steady_from_step": steady_from_step(measurement.epochs, measurement.settings.recipe.batch_size),
    }


def _instrument_s(measurement: Measurement) -> float | None:
    if measurement.status != "ok" or measurement.instrument_step_s is None:
        return None
    return measurement.instrument_step_s * len(measurement.step_s)


def _energy(measurement: Measurement) -> dict[str, Any]:
    """Return joules over all training windows, or the reason why they were not measured."""
    epochs, observer = measurement.epochs, measurement.observer
    if measurement.status != "ok" or observer is None:
        reason = "not measured: the run did not end well"
        return dict.fromkeys(("gpu_energy_j", "cpu_energy_j")) | dict.fromkeys(ENERGY_REASONS, reason)
    seconds = [epoch.train_s for epoch in epochs]
    gpu = total_j(observer.gpu_meter, [epoch.observation.gpu_energy_j for epoch in epochs], seconds)
    cpu = total_j(observer.cpu_meter, [epoch.observation.cpu_energy_j for epoch in epochs], seconds)
    return dict(zip(("gpu_energy_j", "gpu_energy_reason", "cpu_energy_j", "cpu_energy_reason"), gpu + cpu, strict=True))


def _learning(measurement: Measurement) -> dict[str, Any]:
    """Return losses and accuracy of the last complete epoch."""
    evaluated = [epoch for epoch in measurement.epochs if epoch.eval_s is not None]
    names = ["train_loss", "test_loss", "test_accuracy"]
    return {name: getattr(evaluated[-1], name) if evaluated else None for name in names}
