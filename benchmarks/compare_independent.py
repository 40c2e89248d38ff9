"""This workflow's training times against those of `independent_check.py`, runs of both in turn.

`PYTHONPATH=workflow/scripts python benchmarks/compare_independent.py resnet18 cuda --data FOLDER_OR_NPZ` appends one
row a run to `benchmarks/independent_check.csv`, with the ratio of the medians and whether it is within 3 %. `--data` is
a folder with the batches of CIFAR-10 (binary or PNG; each side decodes them with its own code), or an .npz that this
workflow made, with its .sha256 beside it. Each run is a process of its own; nothing else may run on the machine.
"""

import argparse
import csv
import json
import multiprocessing
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml

from fetching.dataset import prepare
from lineage.starter import announce_as_starter, end_with_starter
from measuring.cores import wanted_threads
from measuring.exclusive import machine_to_ourselves
from measuring.run import record_run
from measuring.settings import RunSettings
from planning.study import measuring_code, run_key, run_settings

HERE = Path(__file__).parent
CONFIG = HERE.parent / "config" / "config.yaml"
RECORD = "record.json"
TOLERANCE = 0.03
FIRST = ("workflow", "independent")


def ratio_of_medians(runs: list[dict[str, Any]]) -> float:
    """Return the median `train_s` of the workflow over that of the independent script."""
    ours, theirs = ([run["train_s"] for run in runs if run["program"] == program] for program in FIRST)
    return statistics.median(ours) / statistics.median(theirs)


def settings_for(wanted: argparse.Namespace) -> RunSettings:
    """Return the settings of the `paper` recipe with the epochs, loader processes and threads asked for."""
    config = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    config["recipes"]["paper"] |= {"epochs": wanted.epochs, "loader_workers": wanted.workers}
    config["devices"][wanted.device] |= {"budget_s": None, "threads": wanted_threads(wanted.threads or "auto")}
    return run_settings(config, "paper", wanted.model, wanted.device)


def decoded(data: Path, folder: Path) -> tuple[Path, Path]:
    """Return the .npz and the checksums of the data, made in `folder` from the batches unless they are there."""
    if data.is_file():
        return data, data.with_suffix(".sha256")
    source = {"name": "cifar10", "type": "cifar10", "local_path": str(data), "sources": ["local"], "timeout_s": 600}
    made = folder / "cifar10.npz", folder / "cifar10.sha256"
    prepare(source, *made)
    return made


def record_in(folder: Path, settings: RunSettings, repeat: int, data: tuple[Path, Path]) -> None:
    """Train as the workflow does and leave the record in `folder`; runs in a process that ends with its starter."""
    end_with_starter()
    record_run(
        settings=settings,
        key=run_key(settings),
        code_sha256=measuring_code(settings.model.builder),
        repeat=repeat,
        threads_granted=wanted_threads(settings.device.threads),
        shared=False,
        lease_s=0.0,
        data=data[0],
        checksum=data[1],
        record=folder / RECORD,
        epochs=folder / "epochs.csv",
        steps=folder / "steps.csv.gz",
    )


def workflow_run(settings: RunSettings, repeat: int, data: tuple[Path, Path], folder: Path) -> dict[str, Any]:
    """Train in a process of its own as the workflow does, and return the record."""
    arguments = folder, settings, repeat, data
    process = multiprocessing.get_context("spawn").Process(target=record_in, args=arguments)
    process.start()
    process.join()
    if process.exitcode:
        raise SystemExit("The workflow's run failed; its message stands above.")
    found = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    if found["status"] != "ok":
        raise SystemExit(f"The workflow's run ended {found['status']}: {found['status_reason']}")
    return found


def independent_run(settings: RunSettings, repeat: int, data: Path) -> dict[str, Any]:
    """Train with the independent script and return what it prints."""
    recipe, device = settings.recipe, settings.device
    options = {
        "data": data,
        "epochs": recipe.epochs,
        "workers": recipe.loader_workers,
        "threads": device.threads,
        "seed": settings.seed + repeat,
    }
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    script = [sys.executable, str(HERE / "independent_check.py"), settings.model.name, device.type]
    with machine_to_ourselves():
        done = subprocess.run([*script, *words], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def compare(settings: RunSettings, runs: int, data: Path) -> list[dict[str, Any]]:
    """Run both programs `runs` times, the first of each pair alternating, and return one row a run."""
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as made:
        ready = decoded(data, Path(made))
        for repeat in range(1, runs + 1):
            for program in FIRST if repeat % 2 else reversed(FIRST):
                if program == "workflow":
                    found = record = workflow_run(settings, repeat, ready, Path(made))
                else:
                    found = independent_run(settings, repeat, data)
                rows.append({"program": program, "repeat": repeat, **_outcome(found)})
                print(rows[-1], file=sys.stderr, flush=True)
    summary = ratio_of_medians(rows)
    verdict = {"ratio_of_medians": f"{summary:.4f}", "agrees": "yes" if abs(summary - 1) <= TOLERANCE else "no"}
    return [_conditions(record) | row | verdict for row in rows]


def _outcome(found: dict[str, Any]) -> dict[str, str]:
    return {"train_s": found["train_s"], "test_accuracy": found["test_accuracy"]}


def _conditions(record: dict[str, Any]) -> dict[str, Any]:
    """Return what both programs have in common, as the workflow's record says."""
    machine = record["machine"]
    return {
        "date": record["started"][:10],
        "machine": (machine["accelerator"] or {}).get("name") or machine["cpu_name"],
        "torch": record["software"]["torch"],
        "python": record["software"]["python"],
        "model": record["model"],
        "device": record["device"],
        "threads": record["threads_effective"],
        "loader_workers": record["settings"]["recipe"]["loader_workers"],
        "epochs": record["epochs_done"],
        "images": record["images_done"],
    }


def append(path: Path, rows: list[dict[str, Any]]) -> None:
    """Add the rows to a CSV file, with a header if it is new."""
    new = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerows(rows)


def main() -> None:
    """Compare as the command line says."""
    parser = argparse.ArgumentParser(description="Compare the workflow's training time with an independent script's.")
    parser.add_argument("model", help="simple_cnn, resnet18 or resnet50")
    parser.add_argument("device", help="a device of config/config.yaml: cpu, cuda, ...")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--threads", type=int, help="host threads; one for each physical core if left out")
    parser.add_argument("--runs", type=int, default=3, help="of each program")
    parser.add_argument("--out", type=Path, default=HERE / "independent_check.csv")
    wanted = parser.parse_args()
    rows = compare(settings_for(wanted), wanted.runs, wanted.data)
    append(wanted.out, rows)
    print(f"workflow / independent: {rows[-1]['ratio_of_medians']}, within {TOLERANCE:.0%}: {rows[-1]['agrees']}")


if __name__ == "__main__":
    announce_as_starter()
    main()
