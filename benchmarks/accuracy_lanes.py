"""Test accuracy of the recipes against the first of them over several seeds, many runs side by side on one GPU.

`PYTHONPATH=workflow/scripts python benchmarks/accuracy_lanes.py --out accuracy --data FOLDER_OR_NPZ --cpus 12 --spare
12-15` trains config/accuracy.yaml and writes accuracy_runs.csv (a row a run) and accuracy_verdicts.csv (a row a model
and recipe: the difference with the interval that decides on equality, and the verdict) in the folder `--out`. Runs of
recipes that load images one by one get one CPU each, `--cpus` of them at a time; those of every other recipe follow one
another, a queue for each model, on the CPUs `--spare`. After `--minutes` all are ended, and the tables are made from
what is there.

`--earlier` names the accuracy_runs.csv of another call: its runs count too, so that `--config` may leave out recipes
that were trained then. The first recipe is then the first of all of them in the order of the configuration. A run that
this call trains takes the place of the one of the same recipe, model, device and repeat. Runs of a model that this call
trains too must be of the same code, torch and epochs, or nothing is trained.

What a run learns does not depend on its neighbours; its time does. So the checks of the stopwatch are off here, the
records below runs/ go into no table of speed-ups, and they say that the machine was shared.
"""

import argparse
import csv
import json
import multiprocessing
import os
import queue
import statistics
import sys
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import torch
import yaml
from cpu_list import cpu_set
from snakemake.utils import update_config

from compare_independent import decoded
from lineage.starter import announce_as_starter, end_with_starter
from planning.recipes import resolve_recipe
from planning.study import PlannedRun, measuring_code, plan_runs, run_settings
from reporting.statistics import StatisticsSettings, equivalence, parity_verdict

CONFIG = Path(__file__).parents[1] / "config"
IDENTITY = ("recipe", "model", "device", "repeat")
RUN_COLUMNS = (
    *(*IDENTITY, "key", "seed", "status", "status_reason", "mode", "epochs_done", "test_accuracy"),
    *("code_sha256", "torch", "compile_s", "capture_s"),
)
VERDICT_COLUMNS = (
    *("recipe", "model", "device", "n", "test_accuracy", "spread", "difference", "equivalence_low", "equivalence_high"),
    "verdict",
)


def main() -> None:
    """Train, and make the tables."""
    wanted = parsed()
    deadline = time.monotonic() + 60 * wanted.minutes
    config = merged([CONFIG / "config.yaml", wanted.config])
    runs = plan_runs(config, config["study"]["devices"])
    before = earlier(wanted.earlier)
    if problem := unlike(before, expectations(runs, config)):
        raise SystemExit(f"{wanted.earlier}: {problem}. Train them again or leave out --earlier.")
    wanted.out.mkdir(parents=True, exist_ok=True)
    data = decoded(wanted.data, wanted.out)
    slots: queue.Queue[str] = queue.Queue()
    for cpu in range(wanted.cpus):
        slots.put(str(cpu))
    alone, in_turn = chains(runs, loading(config))
    with ThreadPoolExecutor(wanted.cpus + len(in_turn)) as pool:
        for chain in in_turn:
            pool.submit(train_in_turn, wanted.out, chain, config, data, wanted.spare, deadline)
        for run in alone:
            pool.submit(train_in_slot, wanted.out, run, config, data, slots, deadline)
    records = joined(before, [found for run in runs if (found := record_of(wanted.out, run))])
    write(wanted.out / "accuracy_runs.csv", RUN_COLUMNS, records)
    settings = StatisticsSettings.from_json(json.dumps(config["statistics"]))
    first = first_recipe(records, config["recipes"] if before else config["study"]["recipes"])
    write(wanted.out / "accuracy_verdicts.csv", VERDICT_COLUMNS, verdicts(records, settings, first))
    print((wanted.out / "accuracy_verdicts.csv").read_text(encoding="utf-8"))


def parsed() -> argparse.Namespace:
    """Return the command line's arguments."""
    parser = argparse.ArgumentParser(description="Train a study of accuracies side by side.")
    parser.add_argument("--out", type=Path, required=True, help="folder for records and tables")
    parser.add_argument("--config", type=Path, default=CONFIG / "accuracy.yaml", help="on top of config/config.yaml")
    parser.add_argument("--data", type=Path, required=True, help="a folder with CIFAR-10, or an .npz of this workflow")
    parser.add_argument("--cpus", type=int, required=True, help="CPUs 0 to this less 1: one for each run that loads")
    parser.add_argument("--spare", required=True, help="CPUs of all other runs, such as 12-15")
    parser.add_argument("--minutes", type=float, default=60.0, help="when all runs are ended")
    parser.add_argument("--earlier", type=Path, help="accuracy_runs.csv of a call whose runs count too")
    return parser.parse_args()


def merged(paths: Iterable[Path]) -> dict[str, Any]:
    """Return the configuration of several files, each on top of the ones before."""
    config: dict[str, Any] = {}
    for path in paths:
        update_config(config, yaml.safe_load(path.read_text(encoding="utf-8")))
    return config


def loading(config: Any) -> set[str]:
    """Return the recipes of a study that load images one by one."""
    recipes = (resolve_recipe(name, config["recipes"]) for name in config["study"]["recipes"])
    return {recipe.name for recipe in recipes if recipe.input_pipeline == "loader"}


def chains(runs: Sequence[PlannedRun], loading: set[str]) -> tuple[list[PlannedRun], list[list[PlannedRun]]]:
    """Return the runs that load, the largest model first, and a queue for each model and other recipe."""
    models = list(dict.fromkeys(run.model for run in runs))
    alone = [run for model in reversed(models) for run in runs if run.model == model and run.recipe in loading]
    queues: dict[tuple[str, str], list[PlannedRun]] = {}
    for run in runs:
        if run.recipe not in loading:
            queues.setdefault((run.model, run.recipe), []).append(run)
    return alone, list(queues.values())


def train_in_slot(
    out: Path, run: PlannedRun, config: Any, data: tuple[Path, Path], slots: Any, deadline: float
) -> None:
    """Train on the next CPU that is free."""
    cpu = slots.get()
    try:
        train_in_turn(out, [run], config, data, cpu, deadline)
    finally:
        slots.put(cpu)


def train_in_turn(
    out: Path, chain: Sequence[PlannedRun], config: Any, data: tuple[Path, Path], cpus: str, deadline: float
) -> None:
    """Train one run after the other, each in a process of its own on these CPUs; end at the deadline."""
    for run in chain:
        if time.monotonic() >= deadline:
            return
        arguments = out / f"{run.stem}.json", run, config, data, cpus
        process = multiprocessing.get_context("spawn").Process(target=train_on, args=arguments)
        process.start()
        process.join(max(0.0, deadline - time.monotonic()))
        process.kill()
        process.join()


def train_on(record: Path, run: PlannedRun, config: Any, data: tuple[Path, Path], cpus: str) -> None:
    """Train once and write the record; runs in a process of its own, bound before it counts its CPUs.

    It ends with the process that started it, however that ends.
    """
    end_with_starter()
    os.sched_setaffinity(0, cpu_set(cpus))
    from measuring import run as measuring_run

    measuring_run.self_test = lambda device, new_stopwatch: None
    measuring_run._refuse_impossible = lambda measurement: None
    settings = run_settings(config, run.recipe, run.model, run.device)
    record.parent.mkdir(parents=True, exist_ok=True)
    measuring_run.record_run(
        settings=settings,
        key=run.key,
        code_sha256=measuring_code(settings.model.builder),
        repeat=run.repeat,
        threads_granted=len(cpu_set(cpus)),
        shared=True,
        lease_s=0.0,
        data=data[0],
        checksum=data[1],
        record=record,
        epochs=record.with_suffix(".csv"),
        steps=record.with_suffix(".steps.csv.gz"),
    )


def record_of(out: Path, run: PlannedRun) -> dict[str, Any] | None:
    """Return the record of a run with the columns of its row, None where it was ended before it had one."""
    path = out / f"{run.stem}.json"
    if not path.exists():
        return None
    record = json.loads(path.read_text(encoding="utf-8"))
    parts = {f"{part}_s": record["startup_parts_s"].get(part) for part in ("compile", "capture")}
    return record | parts | {"torch": record["software"]["torch"]}


def earlier(table: Path | None) -> list[dict[str, Any]]:
    """Return the runs of an earlier table, as far as they were trained to the end."""
    if table is None:
        return []
    with table.open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["status"] == "ok" and row["test_accuracy"]]
    if any(not row.get(column) for row in rows for column in ("code_sha256", "torch")):
        print(f"{table}: some rows do not say their code or torch, so these are not compared.", file=sys.stderr)
    return [
        {"mode": "measured", **row, "test_accuracy": float(row["test_accuracy"]), "repeat": int(row["repeat"])}
        for row in rows
    ]


def expectations(runs: Sequence[PlannedRun], config: Any) -> dict[str, dict[str, str]]:
    """Return what a run of each model of this call will say of its code, its torch and its epochs."""
    settings = {run.model: run_settings(config, run.recipe, run.model, run.device) for run in runs}
    return {
        model: {
            "code_sha256": measuring_code(of.model.builder),
            "torch": torch.__version__,
            "epochs_done": str(of.recipe.epochs),
        }
        for model, of in settings.items()
    }


def unlike(rows: Iterable[dict[str, Any]], expected: dict[str, dict[str, str]]) -> str | None:
    """Return how the first earlier run that cannot be compared differs from those of this call, None if none does."""
    for row in rows:
        for column, value in expected.get(row["model"], {}).items():
            if row.get(column) and row[column] != value:
                name = "/".join(str(row[part]) for part in IDENTITY)
                return f"run {name} has {column} {row[column]}, expected {value} as in the runs of this call"
    return None


def joined(before: Sequence[dict[str, Any]], records: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the earlier runs that this call did not train again, and those of this call."""
    again = {tuple(record[part] for part in IDENTITY) for record in records}
    return [*(row for row in before if tuple(row[part] for part in IDENTITY) not in again), *records]


def first_recipe(records: Sequence[dict[str, Any]], order: Iterable[str]) -> str | None:
    """Return the first recipe in this order that has runs."""
    trained = {record["recipe"] for record in records}
    return next((recipe for recipe in order if recipe in trained), None)


def verdicts(
    records: Sequence[dict[str, Any]], settings: StatisticsSettings, first: str | None
) -> Iterable[dict[str, Any]]:
    """Return a row a model and recipe, each recipe but the first one compared with that."""
    groups: dict[tuple[str, str, str], list[float]] = {}
    for record in records:
        if record["mode"] == "measured":
            name = record["recipe"], record["model"], record["device"]
            groups.setdefault(name, []).append(record["test_accuracy"])
    for (recipe, model, device), own in groups.items():
        row = {"recipe": recipe, "model": model, "device": device, "n": len(own), "test_accuracy": statistics.mean(own)}
        row |= {"spread": statistics.stdev(own)} if len(own) > 1 else {}
        reference = groups.get((first or "", model, device), [])
        yield row | (_comparison(own, reference, settings) if recipe != first and reference else {})


def _comparison(own: list[float], reference: list[float], settings: StatisticsSettings) -> dict[str, Any]:
    found = equivalence(own, reference, settings)
    return {
        "difference": found.value,
        "equivalence_low": found.low,
        "equivalence_high": found.high,
        "verdict": parity_verdict(own, reference, settings),
    }


def write(path: Path, columns: Sequence[str], rows: Iterable[dict[str, Any]]) -> None:
    """Write a CSV file with these columns of the rows."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    announce_as_starter()
    main()
