"""One run from its settings to its record."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import torch

from measuring.accelerator import nvml_device
from measuring.budget import Budget
from measuring.ceilings import measure_ceilings
from measuring.checks import check_classes, check_last_step
from measuring.data import Images, content_hash, load_images
from measuring.devices import open_device, synchronise
from measuring.exclusive import machine_to_ourselves
from measuring.instrument import idle_budget, instrument_step_s
from measuring.knobs import Knobs
from measuring.loops import build_loop, place_model
from measuring.measurement import Measurement, describe
from measuring.memory import peak_memory
from measuring.models import build_model
from measuring.numerics import memory_format, set_precision
from measuring.observer import Observer
from measuring.outcome import outcome
from measuring.pace import load as load_prediction
from measuring.plausibility import check_rate
from measuring.progress import Progress, print_line, run_name
from measuring.record import write_epochs, write_record, write_steps
from measuring.self_test import self_test
from measuring.settings import Recipe, RunSettings
from measuring.switches import set_switches
from measuring.threads import Threads, set_threads
from measuring.timing import stopwatch_for
from measuring.training import Loop, train
from measuring.work import count_work


def record_run(
    *,
    settings: RunSettings,
    key: str,
    code_sha256: str,
    repeat: int,
    threads_granted: int,
    shared: bool,
    lease_s: float,
    data: Path,
    checksum: Path,
    record: Path,
    epochs: Path,
    steps: Path,
) -> None:
    """Train as `settings` say and write the record and the two timing tables.

    Out of memory, a loss that is not finite and refused settings are results: they give a record with that status.
    `shared` lets other timed runs of the machine run beside this one. `lease_s`, the seconds that leasing a GPU took,
    count as no part of the start-up.
    Raises UserError when the run could not take place at all, for instance without the accelerator asked for.
    """
    device = open_device(settings.device.type)
    threads = Threads(
        threads_requested=settings.device.threads, threads_granted=threads_granted, threads_effective=None
    )
    with machine_to_ourselves(shared=shared) as waited_s:
        measurement = Measurement(settings=settings, repeat=repeat, threads=threads, shared=shared)
        measurement.startup.leave_out(waited_s + lease_s)
        ended = outcome(lambda: _measure(measurement, device, data, checksum), settings.recipe.name)
        measurement.status, measurement.status_reason = ended
    with suppress(Exception):  # counted on the meta device; what a third-party model does there costs no record
        measurement.work = count_work(settings.model)
    if device.type != "cpu":  # a CPU waits for its work; a low ceiling there only means that others were at work too
        _refuse_impossible(measurement)
    identity = {"key": key, "code_sha256": code_sha256, "dataset_sha256": content_hash(checksum)}
    write_epochs(epochs, measurement.epochs)
    write_steps(steps, measurement.epochs)
    write_record(record, identity | describe(measurement, device))
    if measurement.status != "ok":
        print_line(f"{run_name(settings, repeat)}: {measurement.status}, {measurement.status_reason}")


def _refuse_impossible(measurement: Measurement) -> None:
    if measurement.status != "ok" or measurement.work is None or measurement.ceilings is None:
        return
    images, work = sum(measurement.step_images), measurement.work
    flop, fewest_flop = work.training_flop_per_sample * images, work.fewest_flop_per_sample * images
    seconds = sum(epoch.train_s for epoch in measurement.epochs)
    ceiling = measurement.ceilings.ceiling_flop_per_s
    measurement.status, measurement.status_reason = outcome(
        lambda: check_rate(flop=flop, fewest_flop=fewest_flop, seconds=seconds, ceiling=ceiling),
        measurement.settings.recipe.name,
    )


def _measure(measurement: Measurement, device: torch.device, data: Path, checksum: Path) -> None:
    settings, startup = measurement.settings, measurement.startup
    measurement.threads = set_threads(settings.device.threads, measurement.threads.threads_granted)
    measurement.numerics = numerics = set_precision(settings.recipe, device)
    measurement.knobs = knobs = Knobs(settings.recipe, device)
    set_switches(knobs)
    if settings.device.budget_s is not None:
        load_prediction()
    startup.finish("imports")
    images = load_images(data, checksum)
    startup.finish("data_load")
    if device.type != "cpu":
        self_test(device, lambda: stopwatch_for(device))
        startup.finish("self_test")
    model = _build(measurement, images, device, knobs)
    observer = Observer(device_type=device.type, threads=torch.get_num_threads(), gpu=nvml_device(device))
    measurement.observer = observer
    loop = build_loop(
        model=model, images=images, recipe=settings.recipe, device=device, seed=measurement.seed, knobs=knobs
    )
    startup.finish("model_build")
    try:
        loop.prepare(knobs, startup.finish)
        _train(measurement, model, loop, device, observer, knobs)
    finally:  # before the ceilings, which need more memory than some models
        measurement.memory = peak_memory(device, _loader_processes(settings.recipe))
    del model, loop
    budget = idle_budget(measurement.settings.device.budget_s)
    measurement.instrument_step_s = instrument_step_s(lambda: stopwatch_for(device), budget)
    with suppress(MemoryError, RuntimeError):  # a ceiling is worth having, not worth losing the run
        measurement.ceilings = measure_ceilings(device, numerics)


def _loader_processes(recipe: Recipe) -> int:
    return recipe.loader_workers if recipe.input_pipeline == "loader" else 0


def _build(measurement: Measurement, images: Images, device: torch.device, knobs: Knobs) -> torch.nn.Module:
    settings = measurement.settings
    measurement.train_images = len(images.train_images)
    check_classes(images, settings)
    torch.manual_seed(measurement.seed)
    model = place_model(build_model(settings.model), device, knobs)
    check_last_step(model, settings.recipe, measurement.train_images)
    if measurement.numerics is not None:
        measurement.numerics = replace(measurement.numerics, memory_format=memory_format(model))
    synchronise(device)
    return model


def _train(
    measurement: Measurement, model: torch.nn.Module, loop: Loop, device: torch.device, observer: Observer, knobs: Knobs
) -> None:
    settings = measurement.settings
    budget = Budget(
        budget_s=settings.device.budget_s,
        target_half_width=settings.device.target_half_width,
        whole=measurement.whole,
    )
    progress = Progress(settings, measurement.repeat, budget)
    progress.start(sum(weight.numel() for weight in model.parameters()), torch.get_num_threads(), knobs.inactive())
    for epoch in train(
        loop=loop,
        recipe=settings.recipe,
        budget=budget,
        new_stopwatch=lambda: stopwatch_for(device),
        observer=observer,
    ):
        measurement.epochs.append(epoch)
        progress.epoch(epoch)
