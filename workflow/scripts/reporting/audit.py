"""The audit of the study's own table: arithmetic on its printed numbers, no run of ours needed."""

from collections.abc import Iterator
from itertools import pairwise

from reporting.audit_accuracy import accuracies
from reporting.audit_row import audit_row
from reporting.audit_work import cpu_rates, gpu_rates, time_ratios
from reporting.published import Published, PublishedModel
from reporting.statistics import log_growth
from reporting.verdicts import CONFIRMED, NOT_CONFIRMED, NOT_TESTABLE, Row

SCALE_SLACK = 0.05  # relative: the study says "about"


def audit_rows(published: Published, evidence: str) -> list[Row]:
    """Rows of replication.csv of kind `audit`; `ours` is what the study's own numbers give."""
    parts = (_ratios, _slopes, _scale, gpu_rates, cpu_rates, time_ratios, _parameters, accuracies)
    rows = [row for part in parts for row in part(published)]
    return [{**row, "kind": "audit", "evidence": ";".join([evidence, *row.get("evidence", [])])} for row in rows]


def _holds(holds: bool) -> str:
    return CONFIRMED if holds else NOT_CONFIRMED


def _ratios(published: Published) -> Iterator[Row]:
    for model in published.models.values():
        value = model.recomputed_ratio
        yield audit_row(
            "ratio",
            "The stated ratio follows from the stated times.",
            model.ratio,
            value,
            "CPU time / GPU time",
            _holds(round(value, model.ratio_decimals) == model.ratio),
            f"{model.cpu_s} s / {model.gpu_s} s = {value:.2f}.",
            model.name,
        )


def log_slope(first: PublishedModel, last: PublishedModel) -> float | None:
    """Slope of log ratio against log parameters between two rows of the study's table; None for equal sizes.

    It is the same combination of times that judges our own runs (`reporting.claim_growth.judge_slope`).
    """
    if first.parameters == last.parameters:
        return None
    before, after = (([model.cpu_s], [model.gpu_s]) for model in (first, last))
    return log_growth(before, after, size_factor=last.parameters / first.parameters, confidence=0.95).value


def _slopes(published: Published) -> Iterator[Row]:
    models = list(published.models.values())
    yield _slope("slope_end_to_end", models[0], models[-1])
    for first, last in pairwise(models):
        yield _slope("slope_segment", first, last)


def _slope(name: str, first: PublishedModel, last: PublishedModel) -> Row:
    slope = log_slope(first, last)
    if slope is None:
        result, reason = NOT_TESTABLE, f"{first.name} and {last.name} have equally many parameters."
    else:
        word = "superlinear" if slope > 1 else "sublinear"
        result = _holds(slope > 1)
        reason = f"From {first.name} to {last.name} the slope is {slope:.2f}: {word}."
    statement = "The stated ratio grows more than proportionally to the stated parameters."
    unit = "slope of log ratio against log parameters"
    return audit_row(name, statement, "> 1", slope, unit, result, reason, f"{first.name} to {last.name}")


def _scale(published: Published) -> Iterator[Row]:
    first, *_, last = published.models.values()
    claim = published.claims["scale"]
    factors = {
        "parameter_factor": last.parameters / first.parameters,
        "ratio_factor": last.recomputed_ratio / first.recomputed_ratio,
    }
    names = f"{first.name} to {last.name}"
    for name, value in factors.items():
        reason = f"{value:.1f} from {names}, against {claim[name]} with {SCALE_SLACK:.0%} of slack."
        close = _holds(abs(value / claim[name] - 1) <= SCALE_SLACK)
        yield audit_row(name, claim["statement"], claim[name], value, "factor", close, reason, names)


def _parameters(published: Published) -> Iterator[Row]:
    for name, network in published.networks.items():
        if "parameters_1000_classes" not in network:
            continue
        model, ours = published.models[name], network["parameters_1000_classes"] / 1e6
        stated, ten = model.parameters / 1e6, network["parameters_10_classes"] / 1e6
        yield audit_row(
            "parameters",
            "The stated number of parameters is that of torchvision's network with a head of 1000 classes.",
            stated,
            ours,
            "million parameters",
            _holds(round(ours, model.parameters_decimals) == stated),
            f"torchvision's has {ours:.2f} M with 1000 classes and {ten:.2f} M with the 10 of CIFAR-10.",
            name,
        )
