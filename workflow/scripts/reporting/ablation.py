"""ablation.csv: time of a step and accuracy by recipe, beside what the kernels take and what the device could do."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from reporting.learning import accuracies, at_chance
from reporting.obstacles import recipe_obstacle
from reporting.pairs import Pair, Side, places, ratio_bounds
from reporting.roofline import roofline_ms, with_best_ceilings
from reporting.statistics import (
    StatisticsSettings,
    equivalence,
    geometric_mean,
    linear_combination,
    parity_verdict,
    ratio,
)
from reporting.tables import ABLATION_COLUMNS, BREAKDOWN_COLUMNS, KNOBS, RUN_COLUMNS, known, read_table, write_table

CLOCK = "train_s"
REFERENCE = "reference"
REFUSED = "refused"
NOT_RUN = "not run: an estimated or failed run has no accuracy"
Row = dict[str, Any]


def tabulate_ablation(*, runs: str, breakdown: str, statistics: str, output: str) -> None:
    """Write ablation.csv from runs.csv and breakdown.csv; `statistics`: that part of the configuration as JSON."""
    settings = StatisticsSettings.from_json(statistics)
    tables = read_table(runs, RUN_COLUMNS), read_table(breakdown, BREAKDOWN_COLUMNS)
    write_table(ablation_rows(*tables, settings), ABLATION_COLUMNS, output)


def ablation_rows(runs: pd.DataFrame, breakdown: pd.DataFrame, settings: StatisticsSettings) -> Iterator[Row]:
    """One row a model, device and recipe, in the order of the study; each is compared with the study's first recipe."""
    passes = {(row["recipe"], row["model"], row["device"]): row for _, row in breakdown.iterrows()}
    recipes = known(runs["recipe"])
    for (model, device), rows in with_best_ceilings(runs).groupby(["model", "device"], sort=False):
        sides = {name: Side(device=f"{device} with {name}", runs=rows[rows["recipe"] == name]) for name in recipes}
        before: pd.Series | None = None
        for recipe, side in sides.items():
            pair = Pair(recipe=recipe, model=str(model), cpu=sides[recipes[0]], gpu=side)
            yield {
                **{"recipe": recipe, "model": model, "device": device, "status": ", ".join(known(side.runs["status"]))},
                **_knobs(side, before),
                **_numbers(pair, settings),
                **_kernels(passes.get((recipe, model, device)), side),
            }
            before = before if side.ok.empty else side.ok.iloc[0]


def _knobs(side: Side, before: pd.Series | None) -> Row:
    """What this recipe changes against the one before it, and what of it does not work on this device."""
    if side.ok.empty:
        return {}
    row = side.ok.iloc[0]
    changed = [f"{name}: {_plain(row[name])}" for name in KNOBS if before is not None and row[name] != before[name]]
    return {
        "change": ", ".join(changed) or None,
        "inactive": row["inactive"],
        "device_type": row["device_type"],
        "device_name": side.name,
        "parameters": row["parameters"],
        "mode": side.mode,
        "ceiling_precision": row["ceiling_precision"],
    }


def _plain(value: object) -> str:
    """A number of a column with empty cells, such as 4.0, as 4."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _numbers(pair: Pair, settings: StatisticsSettings) -> Row:
    """Times and accuracies of a recipe (the `gpu` of the pair) against the first one (its `cpu`), and the note."""
    own, is_first = pair.gpu, pair.gpu is pair.cpu
    judged = own.ok["disturbed"].dropna()
    row: Row = {"n": len(own.ok), "disturbed_runs": int((judged == "True").sum()) if len(judged) else None}
    alone = recipe_obstacle([own])
    if alone:
        return {**row, "accuracy_verdict": _no_verdict(alone), "note": alone}
    row |= {**_step(own, settings), "floor_ms": roofline_ms(own.ok.iloc[0])}
    reason = None if is_first else recipe_obstacle(pair.sides)
    gain = {} if reason else {"gain": 1.0} if is_first else _gain(pair, settings)
    accuracy = _accuracy(pair, reason, settings)
    notes = [reason, *_remarks([own])] if reason or is_first else [*_remarks(pair.sides), at_chance(pair)]
    return {**row, **gain, **accuracy, "note": "; ".join(note for note in notes if note) or None}


def _step(side: Side, settings: StatisticsSettings) -> Row:
    """Milliseconds of a step: the training time, measured or projected, over all its steps."""
    ms = 1000 / float(side.ok["steps_total"].iloc[0])
    times = [ms * seconds for seconds in side.times(CLOCK)]
    if side.mode == "estimated":  # a spread between projections is not their error
        ends = {f"step_ms_bound_{end}": side.ends(end) for end in ("low", "high")}
        bounds = {name: ms * geometric_mean(ends[name]) for name in ends if len(ends[name]) == len(side.ok)}
        return {"step_ms": geometric_mean(times), **bounds}
    logs = [math.log(time) for time in times]
    step = linear_combination([logs], [1], confidence=settings.confidence).exp()
    return {"step_ms": step.value, "step_ms_low": step.low, "step_ms_high": step.high}


def _gain(pair: Pair, settings: StatisticsSettings) -> Row:
    gain = ratio(pair.cpu.times(CLOCK), pair.gpu.times(CLOCK), confidence=settings.confidence)
    if pair.estimated:
        return {"gain": gain.value, **{f"gain_bound_{end}": value for end, value in ratio_bounds(pair).items()}}
    return {"gain": gain.value, "gain_low": gain.low, "gain_high": gain.high}


def _accuracy(pair: Pair, reason: str | None, settings: StatisticsSettings) -> Row:
    """Mean accuracy, its difference to the first recipe with the interval that decides on equality, and the verdict."""
    own, first = ([] if side.mode == "estimated" else accuracies(side) for side in (pair.gpu, pair.cpu))
    mean = {"test_accuracy": sum(own) / len(own)} if own else {}
    if own and pair.gpu is pair.cpu:
        return {**mean, "accuracy_verdict": REFERENCE}
    if reason or not own or not first:
        return {**mean, "accuracy_verdict": _no_verdict(reason)}
    found = equivalence(own, first, settings)
    doubtful = pair.failures or at_chance(pair)
    return {
        **mean,
        "difference": found.value,
        "equivalence_low": found.low,
        "equivalence_high": found.high,
        "accuracy_verdict": "inconclusive" if doubtful else parity_verdict(own, first, settings),
    }


def _no_verdict(reason: str | None) -> str:
    return REFUSED if (reason or "").startswith(REFUSED) else NOT_RUN


def _kernels(breakdown: pd.Series | None, side: Side) -> Row:
    """Of the passes of this recipe; nothing where these ran on another device than the runs."""
    if breakdown is None or pd.isna(breakdown["kernel_s"]):
        return {}
    if side.name and side.name != breakdown["device_name"]:
        return {}
    return {"kernels": breakdown["kernels"], "kernel_ms": 1000 * breakdown["kernel_s"]}


def _remarks(sides: Sequence[Side]) -> list[str]:
    """What a reader must know beside the numbers that come from these sides."""
    notes = [f"{side.device} without {side.failures}" for side in sides if side.failures]
    notes += places(pd.concat([side.ok for side in sides]), "runs")
    notes += [f"{side.device} disturbed: {side.disturbed}" for side in sides if side.disturbed]
    estimated = [str(side.device) for side in sides if side.mode == "estimated"]
    if estimated:
        notes.append(f"{' and '.join(estimated)} estimated: bounds of the projections, no interval")
    return [*notes, *_single(sides[0], sides[-1])]


def _single(first: Side, own: Side) -> list[str]:
    """Which interval is missing for want of a second measured process."""
    if own.mode == "measured" and len(own.ok) == 1:
        return ["no interval: n = 1"]
    both = own.mode == first.mode == "measured"
    return [f"no interval of the gain: n = 1 of {first.device}"] if both and len(first.ok) == 1 else []
