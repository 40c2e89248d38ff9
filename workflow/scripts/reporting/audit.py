"""The audit of the study's own table: arithmetic on its printed numbers, no run of ours needed."""

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from reporting.published import Published, PublishedModel

CONFIRMED, NOT_CONFIRMED = "confirmed", "not confirmed"
FLOP_UNITS = {"gpu": (1e12, "TFLOP/s"), "cpu": (1e9, "GFLOP/s")}
STEM_NAMES = {"imagenet_stem": "an ImageNet stem", "cifar_stem": "a CIFAR stem", "only": "a network of this kind"}
Row = dict[str, Any]


def audit_rows(published: Published, evidence: str) -> list[Row]:
    """Rows of replication.csv of kind `audit`; `ours` is what the study's own numbers give."""
    parts = (_ratios, _slopes, _scale, _gpu_rates, _cpu_rates, _cpu_times, _gpu_times, _parameters, _accuracies)
    return [{"kind": "audit", "evidence": evidence, **row} for part in parts for row in part(published)]


def _row(
    claim: str, statement: str, stated: object, ours: float, unit: str, holds: bool, reason: str, model: str
) -> Row:
    """One row; the reason says what the arithmetic is."""
    verdict = CONFIRMED if holds else NOT_CONFIRMED
    names = {"claim": f"audit_{claim}", "model": model, "statement": statement, "stated": stated}
    return {**names, "ours": ours, "unit": unit, "verdict": verdict, "reason": reason}


def _ratios(published: Published) -> Iterator[Row]:
    for model in published.models.values():
        value = model.recomputed_ratio
        yield _row(
            "ratio",
            "The stated ratio follows from the stated times.",
            model.ratio,
            value,
            "CPU time / GPU time",
            round(value, model.ratio_decimals) == model.ratio,
            f"{model.cpu_s} s / {model.gpu_s} s = {value:.2f}.",
            model.name,
        )


def log_slope(first: PublishedModel, last: PublishedModel) -> float:
    """Slope of log ratio against log parameters between two rows of the study's table."""
    return math.log(last.recomputed_ratio / first.recomputed_ratio) / math.log(last.parameters / first.parameters)


def _slopes(published: Published) -> Iterator[Row]:
    models = list(published.models.values())
    segments = list(pairwise(models))
    for name, (first, last) in [
        ("slope_end_to_end", (models[0], models[-1])),
        *(("slope_segment", s) for s in segments),
    ]:
        slope = log_slope(first, last)
        word = "superlinear" if slope > 1 else "sublinear"
        yield _row(
            name,
            "The stated ratio grows more than proportionally to the stated parameters.",
            "> 1",
            slope,
            "slope of log ratio against log parameters",
            slope > 1,
            f"From {first.name} to {last.name} the slope is {slope:.2f}: {word}.",
            f"{first.name} to {last.name}",
        )


def _scale(published: Published) -> Iterator[Row]:
    first, *_, last = published.models.values()
    claim = published.claims["scale"]
    factors = {
        "parameter_factor": last.parameters / first.parameters,
        "ratio_factor": last.recomputed_ratio / first.recomputed_ratio,
    }
    for name, value in factors.items():
        reason = f"{value:.1f} from {first.name} to {last.name}, against {claim[name]} with 5 % of slack."
        close = abs(value / claim[name] - 1) <= 0.05
        names = f"{first.name} to {last.name}"
        yield _row(name, claim["statement"], claim[name], value, "factor", close, reason, names)


def flop_rate(published: Published, model: str, side: str, stem: str) -> float:
    """FLOP/s that the study's time of a model on a side (`cpu`, `gpu`) implies with a stem."""
    row = published.models[model]
    seconds = row.gpu_s if side == "gpu" else row.cpu_s
    return float(published.networks[model]["training_flop"][stem]) * published.images / seconds


def _gpu_rates(published: Published) -> Iterator[Row]:
    for stem in ("imagenet_stem", "cifar_stem"):
        for model, network in published.networks.items():
            if stem in network["training_flop"]:
                yield _rate_row(published, model, "gpu", stem)


def _cpu_rates(published: Published) -> Iterator[Row]:
    for model, network in published.networks.items():
        stem = "only" if "only" in network["training_flop"] else "imagenet_stem"
        yield _rate_row(published, model, "cpu", stem)


def _rate_row(published: Published, model: str, side: str, stem: str) -> Row:
    scale, unit = FLOP_UNITS[side]
    rate, ceiling = flop_rate(published, model, side, stem) / scale, published.ceilings[side]["flop_per_s"] / scale
    machine, possible = published.study[f"{side}_short"], rate <= ceiling
    return _row(
        f"{side}_flop_{stem}".removesuffix("_only"),
        f"The stated {side.upper()} time is possible with {STEM_NAMES[stem]}.",
        f"<= {ceiling:g}",
        rate,
        unit,
        possible,
        f"It implies {rate:.3g} {unit} where the {machine} peaks at {ceiling:g} {unit}"
        f"{'' if possible else ': the times do not belong to this stem'}.",
        model,
    )


def _cpu_times(published: Published) -> Iterator[Row]:
    yield _time_row(published, "cpu", "resnet18", "resnet50", "this one row makes the ratio of 40.6")


def _gpu_times(published: Published) -> Iterator[Row]:
    yield _time_row(published, "gpu", "resnet18", "resnet50", "time follows work")
    reason = "something else than the GPU's arithmetic, probably the loading of images, set the time"
    yield _time_row(published, "gpu", "simple_cnn", "resnet18", reason)


def _time_row(published: Published, side: str, first: str, last: str, comment: str) -> Row:
    seconds = [getattr(published.models[name], f"{side}_s") for name in (first, last)]
    work = [next(iter(published.networks[name]["training_flop"].values())) for name in (first, last)]
    times, flops = seconds[1] / seconds[0], work[1] / work[0]
    return _row(
        f"{side}_time_ratio",
        f"The stated {side.upper()} times grow as the work does, within a factor of 1.5.",
        flops,
        times,
        f"{last} / {first}",
        1 / 1.5 <= times / flops <= 1.5,
        f"{last} takes {times:.2f} times as long as {first} for {flops:.2f} times the FLOPs: {comment}.",
        f"{first} to {last}",
    )


def _parameters(published: Published) -> Iterator[Row]:
    for name, network in published.networks.items():
        if "parameters_1000_classes" not in network:
            continue
        model, ours = published.models[name], network["parameters_1000_classes"] / 1e6
        stated, ten = model.parameters / 1e6, network["parameters_10_classes"] / 1e6
        yield _row(
            "parameters",
            "The stated number of parameters is that of torchvision's network with a head of 1000 classes.",
            stated,
            ours,
            "million parameters",
            round(ours, model.parameters_decimals) == stated,
            f"torchvision's has {ours:.2f} M with 1000 classes and {ten:.2f} M with the 10 of CIFAR-10.",
            name,
        )


def _accuracies(published: Published) -> Iterator[Row]:
    stated, reference = published.models["resnet50"].gpu_test_accuracy, published.reference_accuracies["resnet50"]
    if stated is None:
        return
    for stem, values in reference.items():
        low, high = min(values), max(values)
        near = low - 0.02 <= stated <= high + 0.02
        yield _row(
            f"accuracy_{stem}",
            f"The stated accuracy is one that {STEM_NAMES[stem]} reaches in 10 epochs from random weights.",
            stated,
            sum(values) / len(values),
            "share, mean of our reference runs",
            near,
            f"Our {len(values)} reference runs on another GPU, one seed each, gave {low:.3f} to {high:.3f} under "
            "assumed settings (2 points of slack); pretrained weights were not tried.",
            "resnet50",
        )
