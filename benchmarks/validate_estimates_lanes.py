"""Validate estimated training times on one large machine in little time: several studies side by side, each on CPUs of
its own.

`PYTHONPATH=workflow/scripts python benchmarks/validate_estimates_lanes.py --out lanes --lanes cpu:0-2 cpu:3-5
cuda:6-9` runs the validation of estimates (config/validate_estimates.yaml) in each lane, with a results folder of its
own, and merges the tables into estimate_validation.csv and estimate_validation_summary.csv in the folder `--out`.

The lanes share the machine: memory, last-level cache, power and heat of one lane are noise in the others. That is fair
to what is tested here, for an estimate and the time that it is held against ran beside the same lanes. The times
themselves are not those of a machine of its own and go into no table of speed-ups.

A lane begins with a run of some seconds that tells how many epochs take `--seconds`. Then each repeat trains once to
the end and once under a budget of a tenth. After `--minutes` every lane is ended, and the tables are made from what is
there; the same command again goes on where it stopped. Without `--cifar10` the images are made here.
"""

import argparse
import math
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import yaml
from cpu_list import cpu_set

from reporting.estimate_validation import sentence, summarise
from reporting.tables import RUN_COLUMNS, VALIDATION_COLUMNS, VALIDATION_SUMMARY_COLUMNS, read_table, write_table

ROOT = Path(__file__).parents[1]
CALIBRATION_S = 12.0
MANY_EPOCHS = 1000
GRACE_S = 20.0
TABLE = "results/tables/estimate_validation.csv"
TYPES = {"cpu": {"type": "cpu", "gpus": 0}, "cuda": {"type": "cuda", "gpus": 1}}


@dataclass(frozen=True)
class Lane:
    """A device, the CPUs that belong to it, as `taskset` names them, and the model that it trains."""

    folder: Path
    device: str
    cpus: str
    model: str

    @property
    def count(self) -> int:
        """Number of CPUs."""
        return len(cpu_set(self.cpus))

    def overlay(self, *, devices: list[str], epochs: int, budget_s: float, repeats: int, wanted: Any) -> dict[str, Any]:
        """Return the configuration of this lane on top of the default one."""
        device = TYPES[self.device] | {"threads": "auto"}
        return {
            "study": {"models": [self.model], "devices": devices, "recipes": ["validation"], "repeats": repeats},
            "devices": {
                "full": device | {"budget_s": None, "target_half_width": None},
                "budgeted": device | {"budget_s": budget_s, "target_half_width": wanted.target},
            },
            "recipes": {"validation": {"extends": wanted.recipe, "dataset": "lane", "epochs": epochs}},
            "datasets": {"lane": dataset(wanted)},
        }

    def run(self, target: str, overlay: dict[str, Any], deadline: float) -> bool:
        """Make a file of the study; end it at the deadline (of `time.monotonic`) and return whether it was made."""
        self.folder.joinpath("tmp").mkdir(parents=True, exist_ok=True)
        written = self.folder / "overlay.yaml"
        written.write_text(yaml.safe_dump(overlay), encoding="utf-8")
        command = [
            *("taskset", "-c", self.cpus, sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")),
            *("--directory", str(self.folder), "--configfile", str(written)),
            *("--cores", str(self.count), "--resources", "gpu=1", "--nolock", "--", target),
        ]
        with self.folder.joinpath("lane.log").open("a") as log:
            process = subprocess.Popen(
                command,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env={**os.environ, "TMPDIR": str(self.folder / "tmp")},
            )
            try:
                return process.wait(timeout=max(0.0, deadline - time.monotonic())) == 0
            except subprocess.TimeoutExpired:
                _end(process)
                return False

    def epochs(self, wanted: Any, deadline: float) -> int | None:
        """Return how many epochs take as long as wanted, from a short run that is made once."""
        found = self.folder / "epochs"
        if not found.exists():
            short = self.overlay(
                devices=["budgeted"], epochs=MANY_EPOCHS, budget_s=CALIBRATION_S, repeats=1, wanted=wanted
            )
            if not self.run("results/tables/runs.csv", short, deadline):
                return None
            (epoch_train_s,) = read_table(self.folder / "results/tables/runs.csv", RUN_COLUMNS)["epoch_train_s"]
            found.write_text(str(max(2, math.ceil(wanted.seconds / epoch_train_s))), encoding="utf-8")
        return int(found.read_text(encoding="utf-8"))

    def validate(self, wanted: Any, deadline: float) -> list[dict[str, Any]]:
        """Run the study as far as the deadline allows, and return the rows of its table."""
        epochs = self.epochs(wanted, deadline)
        if epochs is None:
            return []
        overlay = self.overlay(
            devices=["full", "budgeted"],
            epochs=epochs,
            budget_s=wanted.seconds / 10,
            repeats=wanted.repeats,
            wanted=wanted,
        )
        if not self.run(TABLE, overlay, deadline):
            overlay["study"]["only_existing"] = True
            self.run(TABLE, overlay, time.monotonic() + 60)
        table = self.folder / TABLE
        rows = read_table(table, VALIDATION_COLUMNS).to_dict("records") if table.exists() else []
        return [{**row, "lane": self.folder.name, "covered": row["covered"] == "True"} for row in rows]  # type: ignore[dict-item]


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the workflow engine of a lane, which ends its run; then whatever is left of the lane."""
    process.terminate()
    try:
        process.wait(GRACE_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def dataset(wanted: Any) -> dict[str, Any]:
    """Return CIFAR-10 from a local folder, or images of its shape and number."""
    if wanted.cifar10:
        return {"type": "cifar10", "local_path": str(wanted.cifar10.resolve()), "sources": ["local"], "timeout_s": 300}
    return {"type": "synthetic", "train_images": wanted.images, "test_images": 1000}


def lanes(out: Path, names: list[str]) -> list[Lane]:
    """Return the lanes that the command line names: device:cpus or device:cpus:model."""
    parts = [[*name.split(":"), "simple_cnn"][:3] for name in names]
    return [Lane(out / f"lane{number}", *part) for number, part in enumerate(parts, start=1)]


def main() -> None:
    """Run the lanes side by side and merge their tables."""
    parser = argparse.ArgumentParser(description="Validate estimated training times in lanes.")
    parser.add_argument("--out", type=Path, required=True, help="folder for the lanes and the merged tables")
    parser.add_argument("--lanes", nargs="+", required=True, help="device:cpus[:model], such as cpu:0-2 cuda:12-15")
    parser.add_argument("--repeats", type=int, default=3, help="runs to the end in each lane")
    parser.add_argument("--seconds", type=float, default=190.0, help="about how long a run to the end takes")
    parser.add_argument("--minutes", type=float, default=60.0, help="when all lanes are ended")
    parser.add_argument("--target", type=float, default=0.03, help="target_half_width")
    parser.add_argument("--recipe", default="paper")
    parser.add_argument("--images", type=int, default=50_000, help="training images an epoch, when made here")
    parser.add_argument("--cifar10", type=Path, help="a folder or archive with CIFAR-10")
    wanted = parser.parse_args()
    every, deadline = lanes(wanted.out, wanted.lanes), time.monotonic() + 60 * wanted.minutes
    with ThreadPoolExecutor(len(every)) as pool:
        rows = [row for found in pool.map(lambda lane: lane.validate(wanted, deadline), every) for row in found]
    summaries = summarise(rows)
    write_table(rows, ("lane", *VALIDATION_COLUMNS), wanted.out / "estimate_validation.csv")
    write_table(summaries, VALIDATION_SUMMARY_COLUMNS, wanted.out / "estimate_validation_summary.csv")
    print(pd.DataFrame(rows).to_string() if rows else f"No lane has made a table: see lane*/lane.log in {wanted.out}.")
    print(*map(sentence, summaries), sep="\n")


if __name__ == "__main__":
    main()
