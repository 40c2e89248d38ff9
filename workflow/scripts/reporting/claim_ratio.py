"""The claim that a GPU trains a model so many times as fast as a CPU."""

from collections.abc import Mapping
from typing import Any

from reporting.published import Published
from reporting.statistics import StatisticsSettings, place
from reporting.verdicts import INCONCLUSIVE, VERDICTS, Row, read_estimate, verdict

WORDS = {"inside": "within", "outside": "outside", "across": "neither wholly within nor wholly outside"}


def judge_ratio(
    train: Mapping[str, Any], total: Mapping[str, Any], published: Published, settings: StatisticsSettings
) -> Row:
    """Judge the rows of speedup.csv of the two clocks: they must agree, since the study does not state its clock."""
    stated, tolerance = published.models[train["model"]].ratio, settings.replication_tolerance
    band = stated * (1 - tolerance), stated * (1 + tolerance)
    ours, other = read_estimate(train, "speedup"), read_estimate(total, "speedup")
    position, second = place(ours, *band), place(other, *band)
    where = f"the stated ratio +/- {tolerance:.0%}"
    machines = _machines(train, published)
    if position == second:
        reason = f"By both clocks the interval lies {WORDS[position]} {where}; by total_s: {other.words}. {machines}"
        return verdict(VERDICTS[position], reason, ours)
    reason = (
        f"By train_s the interval lies {WORDS[position]} {where}, by total_s, {other.words}, {WORDS[second]}; the "
        f"study does not state its clock. {machines}"
    )
    return verdict(INCONCLUSIVE, reason, ours)


def _machines(row: Mapping[str, Any], published: Published) -> str:
    theirs = f"{published.study['gpu']} over {published.study['cpu']}"
    return f"Ours: {row['gpu_name']} over {row['cpu_name']}; the study: {theirs}."
