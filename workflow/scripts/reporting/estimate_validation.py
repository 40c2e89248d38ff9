"""estimate_validation.csv: estimated training times against the times that the same training really took."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import pandas as pd

from lineage.job import UserError
from measuring.projection import Whole, Window, project
from reporting.collect import work_and_place
from reporting.obstacles import unlike_processes
from reporting.records import REMEDY, Record, read_epochs, read_record, read_schema, setting
from reporting.replay import replayed
from reporting.tables import VALIDATION_COLUMNS, VALIDATION_SUMMARY_COLUMNS, write_table

SAME, OTHER = "same process", "other process"
LONG_S = 180.0
"""Runs of three minutes or more are counted on their own: for these an estimate is meant."""
CLOSE = 0.03
Row = dict[str, Any]
Devices = Mapping[str, Row]


def validate_estimates(
    *,
    records: Sequence[str],
    epochs: Sequence[str],
    steps: Sequence[str],
    schema: str,
    devices: str,
    output: str,
    summary_output: str,
) -> None:
    """Write a row an estimate, and a row for each kind of estimate with its error and coverage.

    A device with a budget is held against the device that is the same without. `same process`: a measured run, and the
    estimate from its first steps when that budget would have ended it. `other process`: a run that the budget did end,
    and the measured run of the same repeat, if both did the same work in the same place.

    Args:
        records: record files; `epochs` and `steps` are their tables of epochs and of steps, in the same order.
        schema: the JSON schema of records.
        devices: JSON of the devices of the study, as the section `devices` of the configuration has them.

    Raises:
        UserError: a file is damaged, or no device has a budget beside one that is the same without.
    """
    valid, pairs = read_schema(schema), pairs_of_devices(json.loads(devices))
    tables = zip(records, epochs, steps, strict=True)
    runs = [Run(path, of_epochs, of_steps, read_record(path, valid)) for path, of_epochs, of_steps in tables]
    ended_well = [run for run in runs if run.record["status"] == "ok"]
    rows = [*_same_process(ended_well, pairs, json.loads(devices)), *_other_process(ended_well, pairs)]
    summaries = summarise(rows)
    write_table(rows, VALIDATION_COLUMNS, output)
    write_table(summaries, VALIDATION_SUMMARY_COLUMNS, summary_output)
    print(*map(sentence, summaries), sep="\n", file=sys.stderr)


@dataclass(frozen=True)
class Run:
    """A record with its tables."""

    path: str
    epochs: str
    steps: str
    record: Record

    @property
    def whole(self) -> Whole:
        """What its recipe asks for."""
        epochs, batch_size = (setting(self.path, self.record, "recipe", name) for name in ("epochs", "batch_size"))
        return Whole(epochs=epochs, images_per_epoch=self.record["images_total"] // epochs, batch_size=batch_size)

    def windows(self) -> list[Window]:
        """The times of each epoch, as they were measured."""
        steps = dict(iter(_read_steps(self.steps).groupby("epoch")))
        return [
            Window(
                step_s=steps[row["epoch"]]["step_s"].tolist(),
                step_images=steps[row["epoch"]]["images"].tolist(),
                train_s=row["train_s"],
                first_batch_s=row["first_batch_s"],
            )
            for row in read_epochs(self.epochs, self.record).to_dict("records")
        ]


def _read_steps(path: str) -> pd.DataFrame:
    try:
        return pd.read_csv(path)[["epoch", "images", "step_s"]]
    except (OSError, EOFError, ValueError, KeyError) as error:
        raise UserError(f"{path}: expected a table with the seconds of each step ({error}): {REMEDY}.") from None


def pairs_of_devices(devices: Devices) -> list[tuple[str, str]]:
    """Each device with a budget, and the one that is the same without."""
    same = ("type", "gpus", "threads")
    pairs = [
        (name, other)
        for name, device in devices.items()
        for other, without in devices.items()
        if device["budget_s"] and not without["budget_s"] and all(device[key] == without[key] for key in same)
    ]
    if not pairs:
        raise UserError(
            "config.study.devices names no device with a budget_s beside one that is the same without: lay "
            "config/validate_estimates.yaml over it, which has both."
        )
    return pairs


def _same_process(runs: Sequence[Run], pairs: Sequence[tuple[str, str]], devices: Devices) -> Iterator[Row]:
    measured = [run for run in runs if run.record["mode"] == "measured"]
    for run, (budgeted, full) in ((run, pair) for run in measured for pair in pairs):
        budget_s, target = devices[budgeted]["budget_s"], devices[budgeted]["target_half_width"]
        seen = replayed(run.windows(), run.whole, budget_s, target) if run.record["device"] == full else []
        if seen:
            projection = project(seen, run.whole)
            estimate = {
                "steps_done": sum(len(window.step_s) for window in seen),
                "elapsed_train_s": sum(window.train_s for window in seen),
                "projected_train_s": projection.projected_train_s,
                "projected_train_low_s": projection.projected_train_low_s,
                "projected_train_high_s": projection.projected_train_high_s,
                "projection": projection.basis(target),
            }
            yield _row(SAME, budgeted, run.record | estimate, run.record)


def _other_process(runs: Sequence[Run], pairs: Sequence[tuple[str, str]]) -> Iterator[Row]:
    measured = {_name(run.record): run.record for run in runs if run.record["mode"] == "measured"}
    for run, (budgeted, full) in ((run, pair) for run in runs for pair in pairs):
        actual = measured.get(_name(run.record | {"device": full}))
        wanted = run.record["mode"] == "estimated" and run.record["device"] == budgeted
        if wanted and actual and _alike(run.record, actual):
            yield _row(OTHER, budgeted, run.record, actual)


def _alike(estimate: Record, actual: Record) -> bool:
    """Whether both did the same work in the same place; otherwise the difference is said."""
    refused = unlike_processes(pd.DataFrame([work_and_place(record) for record in (estimate, actual)]))
    if refused:
        print("/".join(map(str, _name(estimate))), refused, sep=": ", file=sys.stderr)
    return not refused


def _name(record: Record) -> tuple[Any, ...]:
    return tuple(record[name] for name in ("recipe", "model", "device", "repeat"))


def _row(kind: str, budgeted: str, estimate: Record, actual: Record) -> Row:
    seconds, projected_s = actual["train_s"], estimate["projected_train_s"]
    low_s, high_s = estimate["projected_train_low_s"], estimate["projected_train_high_s"]
    return {
        **{name: estimate[name] for name in VALIDATION_COLUMNS if name in estimate},
        "kind": kind,
        "device": budgeted,
        "full_device": actual["device"],
        "host": estimate["machine"]["host"],
        "half_width": estimate["projection"]["half_width"],
        "target_reached": estimate["projection"]["target_reached"],
        "time_share": estimate["elapsed_train_s"] / seconds,
        "actual_train_s": seconds,
        "error": projected_s / seconds - 1,
        "covered": low_s <= seconds <= high_s,
    }


def summarise(rows: Sequence[Row]) -> list[Row]:
    """A row for each kind of estimate: of all runs, and of those that took three minutes or more."""
    subsets = [
        (kind, shortest_s, [row for row in rows if row["kind"] == kind and row["actual_train_s"] >= shortest_s])
        for kind in (SAME, OTHER)
        for shortest_s in (0.0, LONG_S)
    ]
    return [_summary(kind, shortest_s, subset) for kind, shortest_s, subset in subsets if subset]


def _summary(kind: str, shortest_s: float, rows: Sequence[Row]) -> Row:
    errors = [abs(row["error"]) for row in rows]
    return {
        "kind": kind,
        "shortest_s": shortest_s,
        "n": len(rows),
        "median_error": median(errors),
        "largest_error": max(errors),
        "within_3_percent": sum(error <= CLOSE for error in errors) / len(rows),
        "coverage": sum(row["covered"] for row in rows) / len(rows),
        "median_half_width": median(row["half_width"] for row in rows),
        "median_time_share": median(row["time_share"] for row in rows),
        "largest_time_share": max(row["time_share"] for row in rows),
    }


def sentence(summary: Row) -> str:
    """A summary in words."""
    return (
        f"{summary['kind']}, runs of {summary['shortest_s']:g} s or more: n = {summary['n']}, error median "
        f"{summary['median_error']:.1%}, largest {summary['largest_error']:.1%}, within 3 % in "
        f"{summary['within_3_percent']:.0%}; 95 % interval held the time in {summary['coverage']:.0%}, half-width "
        f"median {summary['median_half_width']:.1%}; share of the time used median {summary['median_time_share']:.1%}."
    )
