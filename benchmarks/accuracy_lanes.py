"""Train a study of accuracies side by side: a GPU that waits for single-threaded loaders has room for a dozen runs.

`PYTHONPATH=workflow/scripts python benchmarks/accuracy_lanes.py --out accuracy --cifar10 FOLDER --cpus 12 --spare
12-15` trains config/accuracy.yaml in the folder `--out` and makes results/tables/ablation.csv there. Runs of the first
recipe, which load images one by one, get one CPU each, `--cpus` of them at a time; the runs of the other recipes follow
one another, a queue for each model, on the CPUs `--spare`. After `--minutes` all are ended and the table is made from
what is there.

What a run learns does not depend on its neighbours. Its time does: these times are no measurements, and every record
says what ran beside it.
"""

import argparse
import os
import queue
import shutil
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import yaml
from lanes import ROOT, run_in_lane
from snakemake.utils import update_config

from planning.study import PlannedRun, plan_runs

TABLE = "results/tables/ablation.csv"


def main() -> None:
    """Train, and make the table."""
    parser = argparse.ArgumentParser(description="Train a study of accuracies side by side.")
    parser.add_argument("--out", type=Path, required=True, help="folder for the study and its lanes")
    parser.add_argument("--config", type=Path, default=ROOT / "config" / "accuracy.yaml")
    parser.add_argument("--cifar10", type=Path, help="a folder or archive with CIFAR-10")
    parser.add_argument("--cpus", type=int, required=True, help="CPUs 0 to this less 1: one for each run that loads")
    parser.add_argument("--spare", required=True, help="CPUs of all other runs, such as 12-15")
    parser.add_argument("--minutes", type=float, default=60.0, help="when all lanes are ended")
    wanted = parser.parse_args()
    deadline = time.monotonic() + 60 * wanted.minutes
    configs = written(wanted)
    runs = planned(configs)
    run_in_lane(wanted.out, wanted.spare, configs, [f"results/{runs[0].data}.npz"], deadline)
    slots: queue.Queue[str] = queue.Queue()
    for cpu in range(wanted.cpus):
        slots.put(str(cpu))
    one_by_one, in_turn = chains(runs)
    with ThreadPoolExecutor(wanted.cpus + len(in_turn)) as pool:
        for chain in in_turn:
            pool.submit(train, wanted.out, chain, configs, wanted.spare, deadline)
        for chain in one_by_one:
            pool.submit(train_in_slot, wanted.out, chain, configs, slots, deadline)
    gather(wanted.out)
    configs[-1].write_text(yaml.safe_dump(data_of(wanted) | {"study": {"only_existing": True}}), encoding="utf-8")
    run_in_lane(wanted.out, wanted.spare, configs, [TABLE], time.monotonic() + 120)
    print((wanted.out / TABLE).read_text(encoding="utf-8"))


def written(wanted: argparse.Namespace) -> list[Path]:
    """Write where the images lie and return the configuration's files."""
    wanted.out.mkdir(parents=True, exist_ok=True)
    overlay = wanted.out / "overlay.yaml"
    overlay.write_text(yaml.safe_dump(data_of(wanted)), encoding="utf-8")
    return [wanted.config.resolve(), overlay.resolve()]


def data_of(wanted: argparse.Namespace) -> dict[str, Any]:
    """Return the part of the configuration that names the images; nothing where the study says it itself."""
    if wanted.cifar10 is None:
        return {}
    return {"datasets": {"cifar10": {"local_path": str(wanted.cifar10.resolve()), "sources": ["local"]}}}


def planned(configs: Sequence[Path]) -> list[PlannedRun]:
    """Return the runs of the study."""
    config: dict[str, Any] = {}
    for path in (ROOT / "config" / "config.yaml", *configs):
        update_config(config, yaml.safe_load(path.read_text(encoding="utf-8")))
    return plan_runs(config, config["study"]["devices"])


def chains(runs: Sequence[PlannedRun]) -> tuple[list[list[PlannedRun]], list[list[PlannedRun]]]:
    """Return the first recipe's runs, each alone and the largest model first, and the others' by model, in order."""
    first = runs[0].recipe
    models = list(dict.fromkeys(run.model for run in runs))
    alone = [[run] for model in reversed(models) for run in runs if (run.model, run.recipe) == (model, first)]
    others = [[run for run in runs if run.model == model and run.recipe != first] for model in models]
    return alone, [chain for chain in others if chain]


def train_in_slot(out: Path, chain: Sequence[PlannedRun], configs: Sequence[Path], slots: Any, deadline: float) -> None:
    """Train as `train` does, on the next CPU that is free."""
    cpu = slots.get()
    try:
        train(out, chain, configs, cpu, deadline)
    finally:
        slots.put(cpu)


def train(out: Path, chain: Sequence[PlannedRun], configs: Sequence[Path], cpus: str, deadline: float) -> None:
    """Train the runs of a chain, recipe by recipe, in a folder of their own."""
    folder = out / "lanes" / f"{chain[0].recipe}-{chain[0].model}-{chain[0].repeat}"
    folder.joinpath("results").mkdir(parents=True, exist_ok=True)
    shutil.copytree(out / "results" / "data", folder / "results" / "data", copy_function=os.link, dirs_exist_ok=True)
    for recipe in dict.fromkeys(run.recipe for run in chain):
        targets = [f"results/{run.stem}.json" for run in chain if run.recipe == recipe]
        run_in_lane(folder, cpus, configs, targets, deadline)


def gather(out: Path) -> None:
    """Copy the finished runs of all lanes, with their logs, into the study's results."""
    for folder in sorted((out / "lanes").iterdir()):
        for part in ("runs", "logs/runs"):
            if (folder / "results" / part).exists():
                shutil.copytree(folder / "results" / part, out / "results" / part, dirs_exist_ok=True)


if __name__ == "__main__":
    main()
