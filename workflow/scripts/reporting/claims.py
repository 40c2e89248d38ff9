"""The study's claims, judged by our runs: which rows there are, and what must hold before a number is looked at.

Those about the parts of a step are in claims_breakdown.py.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import pandas as pd

from reporting.claim_growth import judge_growth, judge_slope
from reporting.claim_ratio import judge_ratio
from reporting.conditions import not_the_experiment, unlike
from reporting.pairs import NO_CPU, NO_GPU, Pair, find_pairs
from reporting.published import Published, PublishedModel
from reporting.statistics import Estimate, StatisticsSettings
from reporting.support import processes, why_no_claim
from reporting.verdicts import CONFIRMED, INCONCLUSIVE, NOT_CONFIRMED, NOT_TESTABLE, Row, read_estimate, verdict

CLOCK, OTHER_CLOCK = "train_s", "total_s"
Group = tuple[str, str | None, str | None]  # recipe, cpu_device, gpu_device

# What would test the claims that no run of ours can test.
UNTESTED = {
    "amdahl": "A parallel share needs one model at several degrees of parallelism: runs over thread counts and batch "
    "sizes would test it.",
    "small_models_on_cpu": "Time alone says nothing about cost, and no price is built in: with cost.price_per_hour "
    "stated, speedup.csv holds the cost of a trained model on both devices, for its reader to compare.",
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
        rows = self.speedup[columns].drop_duplicates().astype(object)
        return list(rows.where(rows.notna(), None).itertuples(index=False, name=None))

    def speedup_row(self, group: Group, model: str, clock: str = CLOCK) -> Row | None:
        """The row of a clock, or None when the model is not in the study."""
        return _find(self.speedup[self.speedup["clock"] == clock], group, model)

    def pairs(self, group: Group) -> dict[str, Pair]:
        """Model name to pair."""
        return {pair.model: pair for pair in find_pairs(self.runs) if _group_of(pair) == group}


def claim_rows(evidence: Evidence) -> list[Row]:
    """Rows of replication.csv of kind `claim`: one for each claim, model and pair of devices."""
    tested = [row for group in evidence.groups() for row in _group_rows(evidence, group)]
    return [{"kind": "claim", **row} for row in (*tested, *_untested(evidence))]


def _find(frame: pd.DataFrame, group: Group, model: str) -> Row | None:
    recipe, cpu, gpu = group
    devices = _is(frame["cpu_device"], cpu) & _is(frame["gpu_device"], gpu)
    rows = frame[(frame["recipe"] == recipe) & (frame["model"] == model) & devices]
    if rows.empty:
        return None
    return {str(name): None if pd.isna(value) else value for name, value in rows.iloc[0].items()}


def _is(devices: pd.Series, name: str | None) -> pd.Series:
    return devices.isna() if name is None else devices == name


def _base(evidence: Evidence, claim: str, model: str, files: str, group: Group | None = None) -> Row:
    facts = evidence.published.claims[claim.removesuffix("_segment")]
    names = dict(zip(("recipe", "cpu_device", "gpu_device"), group or (None, None, None), strict=True))
    row = {"claim": claim, "model": model, **names, "statement": facts["statement"], "stated": facts.get("stated")}
    return {**row, "unit": facts.get("unit"), "evidence": files}


def _stated(evidence: Evidence, claim: str, model: str) -> object:
    models = evidence.published.models
    if claim == "ratio":
        return models[model].ratio
    if claim == "growth":
        printed = [published.ratio for published in models.values()]
        return min(after / before for before, after in pairwise(printed))
    return (
        _stated_parity(models[model]) if claim == "parity" else evidence.published.claims["superlinear"].get("stated")
    )


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
    train, total = (evidence.speedup_row(group, model, clock) for clock in (CLOCK, OTHER_CLOCK))
    if train is None or train["speedup"] is None:
        return verdict(NOT_TESTABLE, _no_pair(group, train, model))
    other = unlike(evidence.published, evidence.pairs(group)[model])
    if other:
        return verdict(NOT_TESTABLE, f"Not the study's experiment: it differs in {other}.")
    unmet = why_no_claim([train], evidence.settings)
    if unmet or total is None or total["speedup"] is None:
        reason = unmet or "total_s is not known, and the study does not state its clock."
        judged = verdict(INCONCLUSIVE, reason, read_estimate(train, "speedup"))
    else:
        judged = judge_ratio(train, total, evidence.published, evidence.settings)
    return {"n": min(processes([train])), **judged}


def _no_pair(group: Group, row: Row | None, model: str) -> str:
    if None in group:
        return _absent_side(group)
    return f"{model} is not among the models of this study." if row is None else f"No number: {row['note']}."


def _absent_side(group: Group) -> str:
    return f"{NO_GPU if group[2] is None else NO_CPU}."


def _growth_rows(evidence: Evidence, group: Group) -> Iterator[Row]:
    """Growth over all models, the slope from end to end, and the slope of each segment."""
    pairs = _comparable(evidence, group)
    reason = not_the_experiment(evidence.published, pairs) or (
        _too_few_models(group, pairs) if len(pairs) < 2 else None
    )
    if reason:
        for claim in ("growth", "superlinear"):
            yield _over(evidence, claim, group, list(evidence.published.models), verdict(NOT_TESTABLE, reason))
        return
    unmet = _unmet_over_models(evidence, group, pairs)
    yield _of_pairs(evidence, "growth", group, pairs, judge_growth(pairs, unmet, evidence.settings))
    yield _of_pairs(evidence, "superlinear", group, pairs, judge_slope(pairs[0], pairs[-1], unmet, evidence.settings))
    for segment in pairwise(pairs):
        unmet = why_no_claim(_rows(evidence, group, segment), evidence.settings)
        judged = judge_slope(*segment, unmet, evidence.settings)
        yield _of_pairs(evidence, "superlinear_segment", group, segment, judged)


def _of_pairs(evidence: Evidence, claim: str, group: Group, pairs: Sequence[Pair], judged: Row) -> Row:
    counted = {"n": min(processes(_rows(evidence, group, pairs))), **judged}
    return _over(evidence, claim, group, [pair.model for pair in pairs], counted)


def _over(evidence: Evidence, claim: str, group: Group, models: list[str], judged: Row) -> Row:
    base = _base(evidence, claim, " ".join(models), f"{evidence.speedup_file};{evidence.runs_file}", group)
    return {**base, "stated": _stated(evidence, claim, ""), **judged}


def _comparable(evidence: Evidence, group: Group) -> list[Pair]:
    """The pairs of the study's models that have a speed-up, by parameters."""
    pairs = evidence.pairs(group)
    rows = {model: evidence.speedup_row(group, model) for model in evidence.published.models}
    usable = [pairs[model] for model, row in rows.items() if row and row["speedup"] is not None and row["parameters"]]
    return sorted(usable, key=lambda pair: pair.number("parameters") or 0)


def _group_of(pair: Pair) -> Group:
    return pair.recipe, pair.cpu.device, pair.gpu.device


def _too_few_models(group: Group, pairs: list[Pair]) -> str:
    if None in group:
        return _absent_side(group)
    return f"Models of the study with a speed-up: {len(pairs)}; growth needs at least two."


def _unmet_over_models(evidence: Evidence, group: Group, pairs: list[Pair]) -> str | None:
    absent = [model for model in evidence.published.models if model not in {pair.model for pair in pairs}]
    if absent:
        return f"Without a speed-up of {', '.join(absent)}."
    return why_no_claim(_rows(evidence, group, pairs), evidence.settings)


def _rows(evidence: Evidence, group: Group, pairs: Sequence[Pair]) -> list[Row]:
    return [row for pair in pairs if (row := evidence.speedup_row(group, pair.model))]


def _judge_parity(evidence: Evidence, group: Group, model: str) -> Row:
    row = _find(evidence.parity, group, model)
    if row is None or row["difference"] is None:
        return verdict(NOT_TESTABLE, _no_pair(group, row, model))
    other = unlike(evidence.published, evidence.pairs(group)[model])
    if other:
        return verdict(NOT_TESTABLE, f"Not the study's experiment: it differs in {other}.")
    name = {"equal": CONFIRMED, "different": NOT_CONFIRMED}.get(row["verdict"], INCONCLUSIVE)
    return {"n": min(processes([row])), **verdict(name, row["reason"], _deciding(row))}


def _deciding(row: Row) -> Estimate:
    """The difference with the interval of the equivalence test."""
    return Estimate(value=row["difference"], low=row["equivalence_low"], high=row["equivalence_high"])


def _untested(evidence: Evidence) -> Iterator[Row]:
    for claim, reason in UNTESTED.items():
        model = "simple_cnn" if claim == "small_models_on_cpu" else ""
        yield {**_base(evidence, claim, model, evidence.published_file), **verdict(NOT_TESTABLE, reason)}
