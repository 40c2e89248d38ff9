"""ablation.csv: time of a step and accuracy by recipe, beside what the kernels take and what the device could do."""

import math
from collections.abc import Iterator
from typing import Any

import pandas as pd

from reporting.notes import failures
from reporting.statistics import (
    Estimate,
    StatisticsSettings,
    equivalence,
    linear_combination,
    parity_verdict,
    ratio,
)
from reporting.tables import ABLATION_COLUMNS, BREAKDOWN_COLUMNS, RUN_COLUMNS, known, read_table, write_table

KNOBS = (
    *("input_pipeline", "memory_format", "fused_optimizer", "flush_denormals", "retain_host_memory"),
    *("compile", "graph", "precision"),
)
ADAM_BYTES = 28
"""Of each weight, float32: read with its gradient and two averages, and written with the averages."""
Row = dict[str, Any]


def tabulate_ablation(*, runs: str, breakdown: str, statistics: str, output: str) -> None:
    """Write ablation.csv from runs.csv and breakdown.csv; `statistics`: that part of the configuration as JSON."""
    settings = StatisticsSettings.from_json(statistics)
    tables = read_table(runs, RUN_COLUMNS), read_table(breakdown, BREAKDOWN_COLUMNS)
    write_table(ablation_rows(*tables, settings), ABLATION_COLUMNS, output)


def ablation_rows(runs: pd.DataFrame, breakdown: pd.DataFrame, settings: StatisticsSettings) -> Iterator[Row]:
    """One row a model, device and recipe, the recipes in the order of the study; each is compared with the first."""
    passes = {(row["recipe"], row["model"], row["device"]): row for _, row in breakdown.iterrows()}
    for (model, device), rows in runs.groupby(["model", "device"], sort=False):
        first: list[float] = []
        learned: list[float] = []
        before: pd.Series | None = None
        for recipe, group in rows.groupby("recipe", sort=False):
            times = step_times(group)
            first, learned = first or times, learned or accuracies(group)
            names = {"recipe": recipe, "model": model, "device": device, "status": ", ".join(known(group["status"]))}
            yield {
                **names,
                **_knobs(group, before),
                **_times(times, first, settings),
                **_accuracy(accuracies(group), learned, settings),
                **_floors(group, passes.get((recipe, model, device))),
                "note": _note(group),
            }
            before = next((row for _, row in group.iterrows() if row["status"] == "ok"), before)


def step_times(group: pd.DataFrame) -> list[float]:
    """Milliseconds of a step of each ok run: its training time, measured or projected, over all its steps."""
    ok = group[group["status"] == "ok"]
    seconds = ok["train_s"].fillna(ok["projected_train_s"]) / ok["steps_total"]
    return [1000 * float(value) for value in seconds.dropna()]


def _times(times: list[float], first: list[float], settings: StatisticsSettings) -> Row:
    if not times:
        return {"n": 0}
    step = _geometric(times, settings.confidence)
    gain = ratio(first, times, confidence=settings.confidence)
    return {
        "n": len(times),
        "step_ms": step.value,
        "step_ms_low": step.low,
        "step_ms_high": step.high,
        "gain": gain.value,
        "gain_low": gain.low,
        "gain_high": gain.high,
    }


def accuracies(group: pd.DataFrame) -> list[float]:
    """Test accuracy of each run that was measured to its end."""
    return [float(value) for value in group[group["mode"] == "measured"]["test_accuracy"].dropna()]


def _accuracy(own: list[float], first: list[float], settings: StatisticsSettings) -> Row:
    """Mean accuracy, its difference to the first recipe with the interval that decides on equality, and the verdict."""
    if not own:
        return {"accuracy_verdict": "not run: an estimated or failed run has no accuracy"}
    found = equivalence(own, first, settings)
    return {
        "test_accuracy": sum(own) / len(own),
        "difference": found.value,
        "equivalence_low": found.low,
        "equivalence_high": found.high,
        "accuracy_verdict": parity_verdict(own, first, settings),
    }


def _geometric(times: list[float], confidence: float) -> Estimate:
    return linear_combination([[math.log(time) for time in times]], [1], confidence=confidence).exp()


def _knobs(group: pd.DataFrame, before: pd.Series | None) -> Row:
    """What this recipe changes against the one before it, and what of it does not work on this device."""
    ok = group[group["status"] == "ok"]
    if ok.empty:
        return {}
    row = ok.iloc[0]
    changed = [f"{name}: {row[name]}" for name in KNOBS if before is not None and row[name] != before[name]]
    return {
        "change": ", ".join(changed) or None,
        "inactive": row["inactive"],
        "device_type": row["device_type"],
        "device_name": " / ".join(known(ok["device_name"])),
        "parameters": row["parameters"],
        "mode": " / ".join(known(ok["mode"])),
        "ceiling_precision": row["ceiling_precision"],
    }


def _floors(group: pd.DataFrame, breakdown: pd.Series | None) -> Row:
    row: Row = {}
    if breakdown is not None and not pd.isna(breakdown["kernel_s"]):
        row |= {"kernels": breakdown["kernels"], "kernel_ms": 1000 * breakdown["kernel_s"]}
    ok = group[group["status"] == "ok"]
    return row | {"floor_ms": None if ok.empty else roofline_ms(ok.iloc[0])}


def roofline_ms(run: pd.Series) -> float | None:
    """The least milliseconds of a step on this device: its arithmetic, or the optimizer's bytes, at the measured rates.

    The images in between are not counted, so no step reaches it.
    """
    images = run["images_total"] / run["steps_total"]
    arithmetic_s = run["training_flop_per_sample"] * images / run["ceiling_flop_per_s"]
    bytes_s = ADAM_BYTES * run["parameters"] / run["ceiling_bytes_per_s"] if "adam" in run["optimizer"] else 0.0
    known_s = [seconds for seconds in (arithmetic_s, bytes_s) if not pd.isna(seconds)]
    return 1000 * max(known_s) if known_s else None


def _note(group: pd.DataFrame) -> str | None:
    ok, failed = group[group["status"] == "ok"], failures(group["status"])
    notes = [f"not counted: {failed}"] if failed else []
    notes += ["estimated: from the steps within the budget"] if "estimated" in set(ok["mode"]) else []
    notes += ["no interval: n = 1"] if len(ok) == 1 else []
    return "; ".join(notes) or None
