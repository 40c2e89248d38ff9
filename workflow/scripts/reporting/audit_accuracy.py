"""The audit of the study's accuracy: what the network reached in our runs with either stem."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reporting.audit_row import STEM_NAMES, audit_row
from reporting.published import Published
from reporting.verdicts import CONFIRMED, INCONCLUSIVE, NOT_CONFIRMED, Row

MODEL = "resnet50"  # the only accuracies of the study that we have
FAR = 0.05  # share beyond the runs at which seeds and assumed settings no longer explain an accuracy


def accuracies(published: Published) -> Iterator[Row]:
    """One row a stem; only accuracies whose records are archived decide."""
    stated = published.models[MODEL].gpu_test_accuracy
    if stated is None:
        return
    for stem, runs in published.reference_accuracies[MODEL].items():
        values = runs["archived"] or runs["not_archived"]
        yield audit_row(
            f"accuracy_{stem}",
            f"The stated accuracy is one that {STEM_NAMES[stem]} reaches in 10 epochs from random weights.",
            stated,
            sum(values) / len(values),
            "share, mean of our reference runs",
            _verdict(stated, runs),
            f"{_reason(runs)} Pretrained weights were not tried.",
            MODEL,
            runs["records"],
        )


def _verdict(stated: float, runs: Mapping[str, Any]) -> str:
    values = runs["archived"]
    if not values:
        return INCONCLUSIVE
    beyond = max(min(values) - stated, stated - max(values))
    return CONFIRMED if beyond <= 0 else NOT_CONFIRMED if beyond > FAR else INCONCLUSIVE


def _reason(runs: Mapping[str, Any]) -> str:
    archived, others = _range(runs["archived"]), _range(runs["not_archived"])
    if not archived:
        return f"Our runs on another GPU under assumed settings gave {others}, but their records are not archived."
    also = f" (others, whose records are not archived, {others})" if others else ""
    settings = f"on another GPU under assumed settings ({runs['settings']})"
    return f"Our archived runs {settings} gave {archived}{also}; {FAR * 100:g} points beyond them are too far."


def _range(values: Sequence[float]) -> str:
    return f"{min(values):.3f} to {max(values):.3f}, n = {len(values)}" if values else ""
