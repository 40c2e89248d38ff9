"""Records for tests: valid against the schema, with numbers that a reader can check by hand."""

import csv
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from configs import DEFAULT, ROOT

SCHEMA = ROOT / "workflow/schemas/run.schema.yaml"
PUBLISHED = ROOT / "resources/published/li2026.yaml"
STATISTICS = {"confidence": 0.95, "min_claim_repeats": 5, "parity_margin": 0.01, "replication_tolerance": 0.25}
QUIET = DEFAULT["quiet"]
COST = DEFAULT["cost"]
FIGURES = {"width_inches": 3.4, "dpi": 300}
PARAMETERS = {
    "simple_cnn": 505_058,
    "resnet18": 11_689_512,
    "resnet34": 21_797_672,
    "resnet50": 25_557_032,
    "resnet101": 44_549_160,
    "resnet152": 60_192_808,
    "vit_b_16": 86_567_656,
    "efficientnet_v2_s": 21_458_488,
    "a_model_with_a_name_of_35_characters": 3_000_000,
    "b_model_with_a_name_of_35_characters": 9_000_000,
}
TRAINING = {"optimizer": "adam", "learning_rate": 0.001, "lr_step_size": 5, "lr_gamma": 0.1, "crop_padding": 4}
TRAINING |= {"horizontal_flip": True, "loader_workers": 0, "input_pipeline": "loader", "fused_optimizer": False}
TRAINING |= {
    "flush_denormals": False,
    "retain_host_memory": False,
    "compile": "none",
    "graph": "none",
}
EPOCHS = 10
IMAGES = 50_000
COLUMNS = [
    *("epoch", "images", "steps", "learning_rate", "train_s", "event_train_s", "first_batch_s", "eval_s"),
    *("train_loss", "test_loss"),
    *("test_accuracy", "involuntary_switches", "cpu_share", "steal_share", "throttled_s", "pressure_s", "other_cpu_s"),
    *("gpu_sm_clock_mhz", "gpu_temperature_c", "gpu_throttle_reasons", "gpu_thermal_s", "gpu_other_processes"),
    *("cpu_frequency_mhz", "cpu_temperature_c"),
]
PROJECTION = {"batches": 12, "batch_steps": 64, "lag1_autocorrelation": 0.1, "epoch_cost_s": 0.2}
PROJECTION |= {"half_width": 0.25, "target_reached": False}
ACCELERATOR = {
    "name": "NVIDIA H200",
    **dict.fromkeys(("uuid", "memory_bytes", "driver", "compute_capability", "multiprocessors", "power_limit_w")),
    **dict.fromkeys(("max_sm_clock_mhz", "max_memory_clock_mhz", "mig_mode", "pcie_generation", "pcie_width")),
}


@dataclass(frozen=True, kw_only=True)
class Run:
    """One planned run; without record when status is `missing`."""

    recipe: str = "paper"
    model: str = "resnet18"
    device: str = "cpu"
    repeat: int = 1
    gpus: int = 0
    seconds: float = 100.0  # of the training, measured or projected
    status: str = "ok"
    mode: str = "measured"
    accuracy: float = 0.7
    disturbed_epochs: int = 0  # the first ones: another process takes half of the four CPUs
    epochs_done: int = EPOCHS  # of an estimated run: complete epochs within the budget
    changes: dict[str, Any] = field(default_factory=dict)  # of the record, `machine.host` style paths

    @property
    def key(self) -> str:
        """Ten hex digits that all look like a number: a trap for readers of tables."""
        return "0123456789"

    @property
    def planned(self) -> dict[str, Any]:
        """The entry of the list of planned runs."""
        names = ("recipe", "model", "device", "key", "repeat", "gpus")
        return {name: getattr(self, name) for name in names}


def record(run: Run) -> dict[str, Any]:
    """The record of a run."""
    measured = run.mode == "measured"
    share = 1.0 if measured else 0.3
    done = round(IMAGES * EPOCHS * share)
    content: dict[str, Any] = {
        "schema_version": 1,
        "protocol_version": 1,
        **{name: getattr(run, name) for name in ("recipe", "model", "device", "key", "repeat", "status", "mode")},
        "seed": 2026 + run.repeat,
        "status_reason": None if run.status == "ok" else "the loss became nan in epoch 2",
        "settings": {
            "recipe": {"name": run.recipe, "dataset": "cifar10", "epochs": EPOCHS, "batch_size": 128, **TRAINING},
            "model": {"name": run.model, "builder": run.model, "arguments": {"num_classes": 1000}},
            "device": {"name": run.device, "type": "cuda" if run.gpus else "cpu", "gpus": run.gpus},
            "dataset": {"name": "cifar10", "type": "cifar10"},
        },
        "code_sha256": "a" * 64,
        "dataset_sha256": "b" * 64,
        "parameters": PARAMETERS[run.model],
        "forward_flop_per_sample": 1e8,
        "training_flop_per_sample": 2e8,
        "epochs_done": run.epochs_done if not measured else EPOCHS,
        "steps_done": round(3910 * share),
        "steps_total": 3910,
        "images_done": done,
        "images_total": IMAGES * EPOCHS,
        "elapsed_train_s": run.seconds * share,
        "train_s": run.seconds if measured else None,
        "projected_train_s": None if measured else run.seconds,
        "projected_train_low_s": None if measured else run.seconds * 0.8,
        "projected_train_high_s": None if measured else run.seconds * 1.3,
        "projection": None if measured else PROJECTION,
        "eval_s": 4.0,
        "startup_s": 6.0,
        "startup_parts_s": {"imports": 4.0, "data_load": 2.0},
        "total_s": run.seconds + 10 if measured else None,
        "train_loss": 0.9,
        "test_loss": 1.0,
        "test_accuracy": run.accuracy,
        "first_step_s": 0.5,
        "first_epoch_extra_s": 1.5,
        "instrument_s": run.seconds * share * 0.001,
        "steady_from_step": 12,
        "gpu_energy_j": None,
        "gpu_energy_reason": "not measured: the run uses no GPU",
        "cpu_energy_j": 9000.0,
        "cpu_energy_reason": None,
        "peak_host_bytes": 10**9,
        "peak_loader_bytes": None,
        "peak_device_bytes": 2 * 10**9 if run.gpus else None,
        "peak_device_reserved_bytes": 3 * 10**9 if run.gpus else None,
        "ceiling_flop_per_s": 4e12,
        "ceiling_bytes_per_s": 1e11,
        "ceiling_precision": "fp32",
        "numerics": {"precision": "default", "matmul_tf32": None, "convolution_tf32": None}
        | {"memory_format": "contiguous"},
        "active": {},
        "threads_requested": "auto",
        "threads_granted": 2,
        "threads_effective": 2,
        "machine": {
            "host": "node1",
            "system": "Linux",
            "cpu_name": "Intel Xeon Platinum 8480C",
            "logical_cpus": 4,
            "available_cpus": 4,
            "affinity_cpus": 4,
            "physical_cores": 2,
            "numa_nodes": 1,
            "core_types": {"uniform": 4},
            "smt": True,
            "governor": None,
            "turbo": None,
            "load_average": 0.1,
            "memory_bytes": 16_000_000_000,
            "accelerator": ACCELERATOR if run.gpus else None,
            "shared": False,
            "cuda_visible_devices": "GPU-1" if run.gpus else None,
            "slurm_job_id": None,
        },
        "software": dict.fromkeys(("torchvision", "numpy", "cuda", "cudnn", "onednn", "torch_build"), "1.0")
        | {"python": "3.10", "torch": "2.14.1", "pillow": "12.3.0"},
        "started": "2026-01-01T00:00:00",
        "ended": "2026-01-01T00:10:00",
    }
    return change(content, run.changes)


def change(content: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Put the values at their `machine.host` style paths."""
    for path, value in changes.items():
        *parents, last = path.split(".")
        place = content
        for parent in parents:
            place = place[parent]
        place[last] = value
    return content


def epoch_rows(run: Run) -> list[list[Any]]:
    """Rows of the epoch table: the accuracy rises to its last value; an estimated run ends within an epoch."""
    full = EPOCHS if run.mode == "measured" else run.epochs_done
    s = run.seconds / EPOCHS
    rows = [
        [e, IMAGES, 391, 0.001, s, s, 0.1, 0.4, 2 / e, 2 / e, run.accuracy * (1 - 0.5 / e) / 0.95, *_around(run, e, s)]
        for e in range(1, full + 1)
    ]
    part = [[full + 1, 1280, 10, 0.001, 1.0, 1.0, 0.1, "", 2.0, "", "", *_around(run, full + 1, 1.0)]]
    return rows if run.mode == "measured" else rows + part


def _around(run: Run, epoch: int, seconds: float) -> list[Any]:
    """What was read around a window: on a quiet machine one percent of one of the four CPUs."""
    other_cpu_s = seconds * (2.0 if epoch <= run.disturbed_epochs else 0.01)
    gpu = [1980, 45, "sw_power_cap", 0.0, 0] if run.gpus else [""] * 5
    return [20, 0.95, 0.0, "", 0.01 * seconds, other_cpu_s, *gpu, 2600.0, ""]


@dataclass(frozen=True, kw_only=True)
class Files:
    """What the collecting job gets."""

    records: list[str]
    epochs: list[str]
    planned: str


def write(folder: Path, runs: list[Run]) -> Files:
    """Write the records and epoch tables of the runs that are not missing."""
    records = []
    for run in (run for run in runs if run.status != "missing"):
        path = folder / f"{run.recipe}/{run.model}/{run.device}/{run.key}/{run.repeat}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(record(run)), encoding="utf-8")
        with path.with_suffix(".csv").open("w", newline="", encoding="utf-8") as table:
            csv.writer(table).writerows([COLUMNS, *epoch_rows(run)])
        records.append(path)
    return Files(
        records=[str(path) for path in records],
        epochs=[str(path.with_suffix(".csv")) for path in records],
        planned=json.dumps([run.planned for run in runs]),
    )


def tables(folder: Path, runs: list[Run], passes: Sequence[Any] = (), cost: dict[str, Any] | None = None) -> Path:
    """Write every table of these runs and instrumented passes; return their folder."""
    from breakdowns import breakdown_table
    from reporting.collect import collect
    from reporting.compare import compare
    from reporting.judge import judge

    files, out, statistics = write(folder / "runs", runs), folder / "tables", json.dumps(STATISTICS)
    out.mkdir(parents=True, exist_ok=True)
    name = {
        table: str(out / f"{table}.csv") for table in ("runs", "epochs", "speedup", "parity", "threads", "replication")
    }
    collect(
        records=files.records,
        epochs=files.epochs,
        planned=files.planned,
        schema=str(SCHEMA),
        quiet=json.dumps(QUIET),
        cost=json.dumps(cost or COST),
        runs_output=name["runs"],
        epochs_output=name["epochs"],
    )
    compare(
        runs=name["runs"],
        statistics=statistics,
        speedup_output=name["speedup"],
        parity_output=name["parity"],
        threads_output=name["threads"],
    )
    judge(
        runs=name["runs"],
        speedup=name["speedup"],
        parity=name["parity"],
        breakdown=str(breakdown_table(out, list(passes))),
        published=str(PUBLISHED),
        statistics=statistics,
        output=name["replication"],
    )
    return out


def figures(tables_folder: Path, out: Path) -> dict[str, Path]:
    """Draw the four figures from a folder of tables; return the PNG files by name."""
    from reporting.figure_accuracy import plot_accuracy
    from reporting.figure_parity import plot_parity
    from reporting.figure_speedup import plot_speedup
    from reporting.figure_training_time import plot_training_time

    out.mkdir(parents=True, exist_ok=True)
    table = {name: str(tables_folder / f"{name}.csv") for name in ("runs", "epochs", "speedup", "parity")}
    settings = json.dumps(FIGURES)
    names = ("training_time", "speedup", "accuracy", "parity")
    png = {name: out / f"{name}.png" for name in names}
    both = {name: {"figures": settings, "png": str(p), "svg": str(p.with_suffix(".svg"))} for name, p in png.items()}
    plot_training_time(runs=table["runs"], **both["training_time"])
    compared: dict[str, Any] = {"runs": table["runs"], "statistics": json.dumps(STATISTICS)}
    plot_speedup(speedup=table["speedup"], published=str(PUBLISHED), **compared, **both["speedup"])
    plot_accuracy(runs=table["runs"], epochs=table["epochs"], **both["accuracy"])
    plot_parity(parity=table["parity"], **compared, **both["parity"])
    return png


CPU_SECONDS = {
    "simple_cnn": 120.0,
    "resnet18": 450.0,
    "resnet34": 700.0,
    "resnet50": 1500.0,
    "resnet101": 2600.0,
    "resnet152": 3900.0,
    "vit_b_16": 2500.0,
    "efficientnet_v2_s": 3000.0,
    "a_model_with_a_name_of_35_characters": 300.0,
    "b_model_with_a_name_of_35_characters": 900.0,
}
STUDY = ("simple_cnn", "resnet18", "resnet50")
LONG = ("a_model_with_a_name_of_35_characters", "b_model_with_a_name_of_35_characters")


def side(device: str, gpus: int, factor: float, models: tuple[str, ...] = STUDY, **more: Any) -> list[Run]:
    """Five (or `repeats`) runs of each model, 0, 2, 4, ... % slower each, on a device `factor` times as slow."""
    repeats = more.pop("repeats", 5)
    return [
        Run(
            model=model,
            device=device,
            gpus=gpus,
            repeat=r,
            seconds=CPU_SECONDS[model] * factor ** (1 + 0.2 * i) * (1 + 0.02 * (r - 1)),
            **{"accuracy": 0.7 + 0.002 * r + 0.01 * i, **more},
        )
        for i, model in enumerate(models)
        for r in range(1, repeats + 1)
    ]


def cases() -> dict[str, list[Run]]:
    """Studies that the figures must show legibly."""
    every = tuple(name for name in PARAMETERS if name not in LONG)
    one = {"repeats": 1}
    estimated = {"mode": "estimated", "repeats": 1}
    wrong = [
        Run(model="resnet50", device="cuda", gpus=1, repeat=1, status="diverged", changes={"train_s": None}),
        Run(model="resnet50", device="cpu", repeat=1, status="missing"),
    ]
    return {
        "nothing": [Run(model=model, status="missing") for model in STUDY],
        "cpu_only_estimated": [
            *side("cpu", 0, 1, ("simple_cnn",), epochs_done=7, **estimated),
            *side("cpu", 0, 1, ("resnet18", "resnet50"), epochs_done=0, **estimated),
        ],
        "one_each": [
            *side("cpu", 0, 1, ("simple_cnn", "resnet18"), **one),
            *side("cpu", 0, 1, ("resnet50",), epochs_done=0, **estimated),
            *side("cuda", 1, 0.3, **one),
        ],
        "five_each": [*side("cpu", 0, 1), *side("cuda", 1, 0.3, accuracy=0.7)],
        "many": [
            *side("cpu_8_threads", 0, 1, every),
            *side("cpu_16_threads", 0, 0.6, every),
            *side("cuda", 1, 0.3, every),
            *side("cuda_small", 1, 0.5, every),
        ],
        "two_recipes": [
            *side("cpu", 0, 1),
            *side("cuda", 1, 0.3),
            *side("cpu", 0, 0.5, recipe="tuned"),
            *side("cuda", 1, 0.05, recipe="tuned"),
        ],
        "gpu_only": side("cuda", 1, 0.3),
        "single": [*side("cpu", 0, 1, ("resnet18",), **one), *side("cuda", 1, 0.3, ("resnet18",), **one)],
        "three_pairs": [*side("cpu", 0, 1), *(run for name in "abc" for run in side(f"cuda_{name}", 1, 0.3))],
        "close_sizes": [
            *side("cpu", 0, 1, ("efficientnet_v2_s", "resnet34", "resnet18")),
            *side("cuda", 1, 0.3, ("efficientnet_v2_s", "resnet34", "resnet18")),
        ],
        "long_names": [
            run
            for recipe in ("a_recipe_with_a_name_of_35_characters", "b_recipe_with_a_name_of_35_characters")
            for run in (
                *side("a_cpu_with_a_name_of_35_characters__", 0, 1, LONG, recipe=recipe),
                *side("a_gpu_with_a_name_of_35_characters__", 1, 0.3, LONG, recipe=recipe),
            )
        ],
        "only_failures": [Run(status="oom"), Run(device="cuda", gpus=1, status="diverged")],
        "disturbed": [*side("cpu", 0, 1, disturbed_epochs=3), *side("cuda", 1, 0.3)],
        "with_failures": [
            *side("cpu", 0, 1, ("simple_cnn", "resnet18"), repeats=2),
            *side("cuda", 1, 0.3, ("simple_cnn", "resnet18"), repeats=2),
            *wrong,
        ],
    }


def pairs_of(folder: Path, runs: list[Run]) -> list[Any]:
    """The pairs of these runs, as the comparing job finds them."""
    from reporting.pairs import find_pairs
    from reporting.tables import RUN_COLUMNS, read_table

    return find_pairs(read_table(tables(folder, runs) / "runs.csv", RUN_COLUMNS))
