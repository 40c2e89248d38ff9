"""The study's claims, judged by our runs; those about the parts of a step are in claims_breakdown.py."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from reporting.pairs import Pair, find_pairs
from reporting.published import Published, PublishedModel
from reporting.statistics import Estimate, StatisticsSettings, linear_combination, place, ratio_slope

CLOCK = "train_s"
NO_GPU = "There is no GPU run in this study: add a device with gpus: 1 to study.devices and run again."
VERDICTS = {"inside": "confirmed", "outside": "not confirmed", "across": "inconclusive"}
Row = dict[str, Any]
Group = tuple[str, str, str]  # recipe, cpu_device, gpu_device

# What would test the claims that no run of ours can test.
UNTESTED = {
    "amdahl": "A parallel share needs one model at several degrees of parallelism: runs over thread counts and batch "
    "sizes would test it.",
    "small_models_on_cpu": "Time alone says nothing about cost: energy and prices of both machines beside these times "
    "would test it.",
}


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """Our tables, what the study says, and the names of the files."""

    runs: pd.DataFrame
    speedup: pd.DataFrame
    parity: pd.DataFrame
    published: Published
    settings: StatisticsSettings
    runs_file: str
    speedup_file: str
    parity_file: str
    published_file: str

    def groups(self) -> list[Group]:
        """Every (recipe, CPU device, GPU device) that has pairs."""
        columns = ["recipe", "cpu_device", "gpu_device"]
        return list(self.speedup[columns].drop_duplicates().itertuples(index=False, name=None))

    def speedup_row(self, group: Group, model: str) -> Row | None:
        """The row of the headline clock, or None when the model is not in the study."""
        return _find(self.speedup[self.speedup["clock"] == CLOCK], group, model)


def claim_rows(evidence: Evidence) -> list[Row]:
    """Rows of replication.csv of kind `claim`: one for each claim, model and pair of devices."""
    groups = evidence.groups()
    tested = _without_gpu(evidence) if not groups else [row for group in groups for row in _group_rows(evidence, group)]
    return [{"kind": "claim", **row} for row in (*tested, *_untested(evidence))]


def _find(frame: pd.DataFrame, group: Group, model: str) -> Row | None:
    recipe, cpu, gpu = group
    devices = (frame["cpu_device"] == cpu) & (frame["gpu_device"] == gpu)
    rows = frame[(frame["recipe"] == recipe) & (frame["model"] == model) & devices]
    if rows.empty:
        return None
    return {str(name): None if pd.isna(value) else value for name, value in rows.iloc[0].items()}


def _base(evidence: Evidence, claim: str, model: str, files: str, group: Group | None = None) -> Row:
    facts = evidence.published.claims[claim]
    names = dict(zip(("recipe", "cpu_device", "gpu_device"), group or (None, None, None), strict=True))
    row = {"claim": claim, "model": model, **names, "statement": facts["statement"], "stated": facts.get("stated")}
    return {**row, "unit": facts.get("unit"), "evidence": files}


def _verdict(verdict: str, reason: str, estimate: Estimate | None = None) -> Row:
    values = (estimate.value, estimate.low, estimate.high) if estimate else (None, None, None)
    return {**dict(zip(("ours", "ours_low", "ours_high"), values, strict=True)), "verdict": verdict, "reason": reason}


def _without_gpu(evidence: Evidence) -> Iterator[Row]:
    names = list(evidence.published.models)
    claims = [("ratio", name) for name in names]
    claims += [("growth", " ".join(names)), ("superlinear", " ".join(names))]
    for claim, model in [*claims, *(("parity", name) for name in names)]:
        base = _base(evidence, claim, model, evidence.runs_file)
        yield {**base, "stated": _stated(evidence, claim, model), **_verdict("not testable", NO_GPU)}


def _stated(evidence: Evidence, claim: str, model: str) -> object:
    models = evidence.published.models
    if claim == "ratio":
        return models[model].ratio
    if claim == "growth":
        printed = [published.ratio for published in models.values()]
        return min(after / before for before, after in pairwise(printed))
    return _stated_parity(models[model]) if claim == "parity" else evidence.published.claims[claim].get("stated")


def _stated_parity(model: PublishedModel) -> float | None:
    cpu, gpu = model.cpu_test_accuracy, model.gpu_test_accuracy
    return None if cpu is None or gpu is None else round(gpu - cpu, 6)


def _group_rows(evidence: Evidence, group: Group) -> Iterator[Row]:
    for model in evidence.published.models:
        base = _base(evidence, "ratio", model, f"{evidence.speedup_file};{evidence.runs_file}", group)
        yield {**base, "stated": _stated(evidence, "ratio", model), **_judge_ratio(evidence, group, model)}
    yield from _growth_rows(evidence, group)
    for model in evidence.published.models:
        base = _base(evidence, "parity", model, f"{evidence.parity_file};{evidence.runs_file}", group)
        yield {**base, "stated": _stated(evidence, "parity", model), **_judge_parity(evidence, group, model)}


def _judge_ratio(evidence: Evidence, group: Group, model: str) -> Row:
    row = evidence.speedup_row(group, model)
    if row is None or row["speedup"] is None:
        return _verdict("not testable", _no_pair(row, model))
    estimate = _estimate(row, "speedup")
    unmet = why_no_claim([row], evidence.settings)
    if unmet:
        return _verdict("inconclusive", unmet, estimate)
    stated, tolerance = evidence.published.models[model].ratio, evidence.settings.replication_tolerance
    position = place(estimate, stated * (1 - tolerance), stated * (1 + tolerance))
    return _verdict(VERDICTS[position], _ratio_reason(evidence, group, model, position), estimate)


def _no_pair(row: Row | None, model: str) -> str:
    return f"{model} is not among the models of this study." if row is None else f"No number: {row['note']}."


def _estimate(row: Mapping[str, Any], name: str) -> Estimate:
    return Estimate(value=row[name], low=row[f"{name}_low"], high=row[f"{name}_high"])


def why_no_claim(rows: list[Row], settings: StatisticsSettings) -> str | None:
    """Why rows of speedup.csv support no claim, in words, or None."""
    estimated = [row["model"] for row in rows if "estimated" in (row["cpu_mode"], row["gpu_mode"])]
    if estimated:
        return f"Not all epochs were run ({', '.join(estimated)} estimated on a side): a claim needs measured runs."
    fewest = int(min(min(row["n_cpu"], row["n_gpu"]) for row in rows))
    if fewest < settings.min_claim_repeats:
        return f"n = {fewest}: a claim needs {settings.min_claim_repeats} processes on each side."
    return None


def _ratio_reason(evidence: Evidence, group: Group, model: str, position: str) -> str:
    words = {"inside": "lies within", "outside": "lies outside", "across": "is not wholly within or outside"}
    percent = f"{evidence.settings.replication_tolerance:.0%}"
    total = _find(evidence.speedup[evidence.speedup["clock"] == "total_s"], group, model)
    other = f" (by total_s: {total['speedup']:.3g})" if total and total["speedup"] is not None else ""
    return f"The interval {words[position]} the stated ratio +/- {percent}; our machines are others{other}."


def _growth_rows(evidence: Evidence, group: Group) -> Iterator[Row]:
    judges = {"growth": _judge_growth, "superlinear": _judge_superlinear}
    pairs = _comparable(evidence, group)
    for claim, judge in judges.items():
        names = " ".join(evidence.published.models)
        base = _base(evidence, claim, names, f"{evidence.speedup_file};{evidence.runs_file}", group)
        yield {**base, "stated": _stated(evidence, claim, names), **judge(evidence, group, pairs)}


def _comparable(evidence: Evidence, group: Group) -> list[Pair]:
    """The pairs of the study's models that have a speed-up, by parameters."""
    pairs = {pair.model: pair for pair in find_pairs(evidence.runs) if _group_of(pair) == group}
    rows = {model: evidence.speedup_row(group, model) for model in evidence.published.models}
    usable = [pairs[model] for model, row in rows.items() if row and row["speedup"] is not None and row["parameters"]]
    return sorted(usable, key=lambda pair: float(str(pair.one("parameters"))))


def _group_of(pair: Pair) -> Group:
    return pair.recipe, pair.cpu.device, pair.gpu.device


def _judge_growth(evidence: Evidence, group: Group, pairs: list[Pair]) -> Row:
    """Growth holds when each step from one model to the next does: an intersection of tests needs no correction."""
    if len(pairs) < 2:
        return _verdict("not testable", _too_few_models(pairs))
    steps = [_step(before, after, evidence.settings) for before, after in pairwise(pairs)]
    smallest = min(steps, key=lambda step: step.value)
    unmet = _unmet_over_models(evidence, group, pairs)
    if unmet:
        return _verdict("inconclusive", unmet, smallest)
    return _above_one(steps, smallest, "from each model to the next larger one the speed-up grows")


def _step(before: Pair, after: Pair, settings: StatisticsSettings) -> Estimate:
    """Factor between the speed-ups of two models."""
    sides = (after.cpu, after.gpu, before.cpu, before.gpu)
    logs = [list(np.log(side.times(CLOCK))) for side in sides]
    return linear_combination(logs, [1, -1, -1, 1], confidence=settings.confidence).exp()


def _judge_superlinear(evidence: Evidence, group: Group, pairs: list[Pair]) -> Row:
    if len(pairs) < 2:
        return _verdict("not testable", _too_few_models(pairs))
    slope = ratio_slope(
        [float(str(pair.one("parameters"))) for pair in pairs],
        [pair.cpu.times(CLOCK) for pair in pairs],
        [pair.gpu.times(CLOCK) for pair in pairs],
        confidence=evidence.settings.confidence,
    )
    unmet = _unmet_over_models(evidence, group, pairs)
    if unmet:
        return _verdict("inconclusive", unmet, slope)
    return _above_one([slope], slope, "the speed-up grows more than proportionally to the parameters")


def _too_few_models(pairs: list[Pair]) -> str:
    return f"Models of the study with a speed-up: {len(pairs)}; growth needs at least two."


def _unmet_over_models(evidence: Evidence, group: Group, pairs: list[Pair]) -> str | None:
    rows = [row for pair in pairs if (row := evidence.speedup_row(group, pair.model))]
    absent = [model for model in evidence.published.models if model not in {pair.model for pair in pairs}]
    return f"Without a speed-up of {', '.join(absent)}." if absent else why_no_claim(rows, evidence.settings)


def _above_one(estimates: list[Estimate], shown: Estimate, what: str) -> Row:
    lows = [estimate.low for estimate in estimates if estimate.low is not None]
    highs = [estimate.high for estimate in estimates if estimate.high is not None]
    if min(lows) > 1:
        return _verdict("confirmed", f"The interval lies above 1: {what}.", shown)
    if min(highs) <= 1:
        return _verdict("not confirmed", f"An interval lies below 1: it is not so that {what}.", shown)
    return _verdict("inconclusive", "The interval holds values on both sides of 1.", shown)


def _judge_parity(evidence: Evidence, group: Group, model: str) -> Row:
    row = _find(evidence.parity, group, model)
    if row is None or row["difference"] is None:
        return _verdict("not testable", _no_pair(row, model))
    verdicts = {"equal": "confirmed", "different": "not confirmed"}
    margin = f"{row['margin'] * 100:g} points"
    words = {
        "equal": f"The difference lies within {margin} (equivalence test).",
        "different": f"The interval lies outside {margin}.",
    }
    reason = words.get(row["verdict"]) or _undecided(row, evidence.settings, margin)
    return _verdict(verdicts.get(row["verdict"], "inconclusive"), reason, _estimate(row, "difference"))


def _undecided(row: Row, settings: StatisticsSettings, margin: str) -> str:
    fewest = int(min(row["n_cpu"], row["n_gpu"]))
    if fewest < settings.min_claim_repeats:
        return f"n = {fewest}: a claim needs {settings.min_claim_repeats} processes on each side."
    return f"The interval is neither wholly within nor wholly outside {margin}."


def _untested(evidence: Evidence) -> Iterator[Row]:
    for claim, reason in UNTESTED.items():
        model = "simple_cnn" if claim == "small_models_on_cpu" else ""
        yield {**_base(evidence, claim, model, evidence.published_file), **_verdict("not testable", reason)}
