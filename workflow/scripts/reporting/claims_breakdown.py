"""The study's two claims about the parts of a step, judged by breakdown.csv."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import pandas as pd

from reporting.claims import Evidence, Group
from reporting.conditions import not_the_experiment
from reporting.pairs import NO_GPU, Pair, find_pairs
from reporting.statistics import place
from reporting.support import why_no_claim
from reporting.verdicts import (
    CONFIRMED,
    INCONCLUSIVE,
    NOT_CONFIRMED,
    NOT_TESTABLE,
    VERDICTS,
    Row,
    read_estimate,
    verdict,
)

SMALL_MODEL = "simple_cnn"
MODELS_OF_AN_ORDER = 3
NO_COPY = "No step of {model} copies anything to {device}: its images are there already."
NOTHING_COPIED = "{device} is a CPU, and nothing is copied to it."
UNKNOWN = "No run of {model} on {device} ended well, so nobody knows whether it is the study's experiment."


def breakdown_rows(evidence: Evidence, breakdown: pd.DataFrame, file: str) -> list[Row]:
    """Rows of replication.csv: transfer_share for each device with a GPU, compute_to_communication for each model too.

    Args:
        evidence: the other tables.
        breakdown: breakdown.csv.
        file: its name.
    """
    gpus = breakdown[breakdown["gpus"] > 0]
    devices = list(gpus[["recipe", "device"]].drop_duplicates().itertuples(index=False, name=None))
    if not devices:
        absent = verdict(NOT_TESTABLE, f"{NO_GPU}.")
        claims = {"transfer_share": SMALL_MODEL, "compute_to_communication": ""}
        return [{**_base(evidence, claim, model, file), **absent} for claim, model in claims.items()]
    shares = [_share_row(evidence, gpus, recipe, device, file) for recipe, device in devices]
    return [*shares, *(row for group in evidence.groups() for row in _order_rows(evidence, gpus, group, file))]


def _base(evidence: Evidence, claim: str, model: str, files: str) -> Row:
    facts = evidence.published.claims[claim]
    names = {name: facts.get(name) for name in ("statement", "stated", "unit")}
    return {"kind": "claim", "claim": claim, "model": model, **names, "evidence": files}


def _share_row(evidence: Evidence, gpus: pd.DataFrame, recipe: str, device: str, file: str) -> Row:
    files = f"{file};{evidence.runs_file}"
    base = {**_base(evidence, "transfer_share", SMALL_MODEL, files), "recipe": recipe, "gpu_device": device}
    row = _find(gpus, recipe, device, SMALL_MODEL)
    obstacle = _obstacle(row, device) or _other_experiment(evidence, recipe, device)
    if row is None or obstacle:
        return {**base, **verdict(NOT_TESTABLE, str(obstacle))}
    answer, limit = _judge_share(evidence, row, str(base["stated"]))
    reason = f"{_share_sentence(row)} n = {row['n']:g}: {limit}"
    return {**base, "n": row["n"], **verdict(answer, reason, read_estimate(row, "copy_share"))}


def _judge_share(evidence: Evidence, row: Row, stated: str) -> tuple[str, str]:
    unmet = _failed([row])
    if unmet:
        return INCONCLUSIVE, unmet
    if row["n"] < evidence.settings.min_claim_repeats:
        return INCONCLUSIVE, f"a claim needs {evidence.settings.min_claim_repeats} processes."
    low, high = map(float, stated.split("-"))
    position = place(read_estimate(row, "copy_share"), low, high)
    return VERDICTS[position], f"the interval lies {position} the stated band."


def _failed(rows: Sequence[Row]) -> str | None:
    """Which models have planned processes that did not end well, in a sentence, or None."""
    failed = [f"{row['model']}: {row['status']}" for row in rows if row["status"] != "ok"]
    return f"{'; '.join(failed)}: a claim needs every planned process to end well." if failed else None


def _share_sentence(row: Row) -> str:
    return (
        f"Copying takes {row['copy_share']:.1%} of a step of {1000 * row['synchronised_step_s']:.3g} ms, synchronised "
        f"after each part ({row['steps']:g} steps), waiting for the loader {row['data_wait_share']:.1%}."
    )


def _obstacle(row: Row | None, device: str) -> str | None:
    if row is None:
        return f"{SMALL_MODEL} is not among the models of this study."
    if row["copy_share"] is None:
        return f"No breakdown of its step: {row['note'] or row['status']}."
    if row["device_type"] == "cpu":
        return NOTHING_COPIED.format(device=device)
    return None if row["copy_share"] > 0 else NO_COPY.format(model=SMALL_MODEL, device=device)


def _other_experiment(evidence: Evidence, recipe: str, device: str) -> str | None:
    """In what the runs of this device differ from the study; its CPU has no part in a share of its time."""
    runs = evidence.runs
    own = runs[(runs["recipe"] == recipe) & (runs["model"] == SMALL_MODEL) & (runs["device"] == device)]
    pairs = [pair for pair in find_pairs(own) if not pair.gpu.ok.empty]
    return not_the_experiment(evidence.published, pairs) if pairs else UNKNOWN.format(model=SMALL_MODEL, device=device)


def _find(gpus: pd.DataFrame, recipe: str, device: str | None, model: str) -> Row | None:
    rows = gpus[(gpus["recipe"] == recipe) & (gpus["device"] == device) & (gpus["model"] == model)]
    if rows.empty:
        return None
    return {str(name): None if pd.isna(value) else value for name, value in rows.iloc[0].items()}


def _order_rows(evidence: Evidence, gpus: pd.DataFrame, group: Group, file: str) -> Iterator[Row]:
    """One row a model of the study with its ratio; verdict and reason concern all of them together."""
    recipe, cpu, device = group
    rows = [row for model in evidence.published.models if (row := _find(gpus, recipe, device, model))]
    measured = [row for row in rows if row["compute_to_copy"] is not None]
    names = {"recipe": recipe, "cpu_device": cpu, "gpu_device": device}
    files = f"{file};{evidence.speedup_file};{evidence.runs_file}"
    more = {"unit": "forward, backward and optimizer over copy", **names}
    other = not_the_experiment(evidence.published, _comparable(evidence, group, measured))
    answer, reason = (NOT_TESTABLE, other) if other else _judge_order(evidence, group, measured, str(device))
    if other or not measured:
        yield {**_base(evidence, "compute_to_communication", "", files), **more, **verdict(answer, reason)}
        return
    for row in measured:
        base = _base(evidence, "compute_to_communication", row["model"], files)
        yield {**base, **more, "n": row["n"], **verdict(answer, reason, read_estimate(row, "compute_to_copy"))}


def _comparable(evidence: Evidence, group: Group, measured: Sequence[Row]) -> list[Pair]:
    """The pairs behind the rows that have a speed-up too."""
    pairs = evidence.pairs(group)
    return [pairs[row["model"]] for row in measured if _speedup(evidence, group, row["model"])]


def _judge_order(evidence: Evidence, group: Group, measured: Sequence[Row], device: str) -> tuple[str, str]:
    """Whether the speed-up puts the models in the same order as the ratio of computation to copying does.

    Confirmed: of every two models the intervals of both quantities are apart, in the same order. Not confirmed: of
    some two models they are apart in opposite orders.
    """
    pairs = [(row, speedup) for row in measured if (speedup := _speedup(evidence, group, row["model"]))]
    if len(pairs) < MODELS_OF_AN_ORDER:
        known = f"Models with a breakdown on {device} and a speed-up: {len(pairs)}"
        return NOT_TESTABLE, f"{known}; an order needs at least {MODELS_OF_AN_ORDER}."
    orders = _orders(pairs)
    reason = f"{orders} ({len(pairs)} models)."
    fewest = min(row["n"] for row, _ in pairs)
    if fewest < evidence.settings.min_claim_repeats:
        needed = f"a claim needs {evidence.settings.min_claim_repeats} processes on each side."
        return INCONCLUSIVE, f"{reason} n = {fewest:g}: {needed}"
    obstacle = _failed([row for row, _ in pairs]) or why_no_claim([row for _, row in pairs], evidence.settings)
    if obstacle:
        return INCONCLUSIVE, f"{reason} {obstacle}"
    signs = [
        _apart(one[0], other[0], "compute_to_copy") * _apart(one[1], other[1], "speedup")
        for one, other in combinations(pairs, 2)
    ]
    answer = CONFIRMED if min(signs) > 0 else NOT_CONFIRMED if min(signs) < 0 else INCONCLUSIVE
    return answer, reason if answer != INCONCLUSIVE else f"{reason} Some intervals overlap."


def _speedup(evidence: Evidence, group: Group, model: str) -> Row | None:
    row = evidence.speedup_row(group, model)
    return row if row and row["speedup"] is not None else None


def _orders(pairs: Sequence[tuple[Row, Row]]) -> str:
    by_ratio = [row["model"] for row, _ in sorted(pairs, key=lambda pair: pair[0]["compute_to_copy"])]
    by_speedup = [row["model"] for row, _ in sorted(pairs, key=lambda pair: pair[1]["speedup"])]
    if by_ratio == by_speedup:
        return f"Computation over copying and speed-up grow in the same order: {', '.join(by_ratio)}"
    return f"Computation over copying grows in the order {', '.join(by_ratio)}, the speed-up {', '.join(by_speedup)}"


def _apart(one: Row, other: Row, name: str) -> int:
    """1 when the interval of `one` lies above that of `other`, -1 below, 0 when they overlap or one is missing."""
    bounds: list[Any] = [row[f"{name}_{end}"] for row in (one, other) for end in ("low", "high")]
    if None in bounds:
        return 0
    low, high, other_low, other_high = bounds
    return 1 if low > other_high else -1 if high < other_low else 0
