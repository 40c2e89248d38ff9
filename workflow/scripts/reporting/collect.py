"""runs.csv and epochs.csv: one row a planned run, one row an epoch, straight from the records."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from jsonschema import Draft202012Validator

from lineage.job import UserError
from reporting.cost import CostSettings, cost_columns
from reporting.quiet import Host, QuietSettings, disturbances, summary
from reporting.records import REMEDY, Record, damaged, place, read_epochs, read_record, read_schema, setting
from reporting.tables import EPOCH_COLUMNS, IDENTITY, RUN_COLUMNS, STARTUP_PARTS, write_table

Identity = tuple[Any, ...]
Row = dict[str, Any]


def collect(
    *,
    records: Sequence[str],
    epochs: Sequence[str],
    planned: str,
    schema: str,
    quiet: str,
    cost: str,
    runs_output: str,
    epochs_output: str,
) -> None:
    """Write runs.csv and epochs.csv.

    Args:
        records: record files, any order.
        epochs: the epoch table of each record, same order.
        planned: JSON list of {recipe, model, device, key, repeat, gpus}; its order is that of the rows.
        schema: the JSON schema of records.
        quiet: the section `quiet` of the configuration as JSON.
        cost: the section `cost` of the configuration as JSON.

    A run whose record or epoch table is damaged has a row with status `damaged`; the others are not concerned.
    """
    plan, settings, prices = json.loads(planned), QuietSettings.from_json(quiet), CostSettings.from_json(cost)
    files = {place(path): (path, table) for path, table in zip(records, epochs, strict=True)}
    validator = read_schema(schema)
    found = [_run(run, files.get(_name(run)), validator, settings, prices) for run in plan]
    write_table((row for row, _ in found), RUN_COLUMNS, runs_output)
    write_table((window for _, windows in found for window in windows), EPOCH_COLUMNS, epochs_output)


def identity(run: Mapping[str, Any]) -> Identity:
    """What names a run: recipe, model, device, key, repeat."""
    return tuple(run[name] for name in IDENTITY)


def _name(run: Mapping[str, Any]) -> str:
    return "/".join(str(part) for part in identity(run))


def _run(
    run: Row,
    files: tuple[str, str] | None,
    schema: Draft202012Validator,
    quiet: QuietSettings,
    prices: CostSettings,
) -> tuple[Row, list[Row]]:
    """The row of a planned run and those of its epochs, from its record and its epoch table."""
    names = {name: run[name] for name in (*IDENTITY, "gpus")}
    if files is None:
        reason = "no record: this run has not been made or has failed"
        return {**names, "status": "missing", "status_reason": reason}, []
    path, table = files
    try:
        record = _read(path, schema)
        windows = _windows(record, table, quiet)
        return {**_run_row(path, record, prices), **_quiet(path, record, windows, quiet), **names}, windows
    except UserError as error:
        return {**names, **damaged(error)}, []


def _read(path: str, schema: Draft202012Validator) -> Record:
    record = read_record(path, schema)
    if _name(record) != place(path):
        raise UserError(f"{path}: says that it is run {_name(record)}, expected the run of its path: {REMEDY}.")
    return record


def _quiet(path: str, record: Record, windows: list[Row], to: QuietSettings) -> Row:
    images_per_epoch = _quotient(record["images_total"], setting(path, record, "recipe", "epochs"))
    columns = summary(windows, images_per_epoch, to)
    return columns if record["status"] == "ok" else columns | {"epoch_train_s_quiet": None}


def _run_row(path: str, record: Record, prices: CostSettings) -> Row:
    copied = {name: record[name] for name in RUN_COLUMNS if name in record}
    startup = {f"{part}_s": record["startup_parts_s"].get(part) for part in STARTUP_PARTS}
    derived = {**startup, **_projection(record), **_rates(path, record), **cost_columns(record, prices)}
    return {**copied, **_settings(path, record), **_environment(record), **derived}


def _projection(record: Record) -> Row:
    basis = record["projection"] or {}
    return {f"projection_{name}": basis.get(name) for name in ("half_width", "batches", "target_reached")}


def _settings(path: str, record: Record) -> Row:
    named = ("optimizer", "learning_rate", "lr_step_size", "lr_gamma", "crop_padding", "horizontal_flip")
    knobs = ("input_pipeline", "loader_workers", "fused_optimizer", "flush_denormals", "retain_host_memory")
    recipe = {name: setting(path, record, "recipe", name) for name in (*named, *knobs, "compile", "graph")}
    return {
        **recipe,
        "dataset_type": setting(path, record, "dataset", "type"),
        "family": family(setting(path, record, "model", "builder"), setting(path, record, "model", "arguments")),
        "device_type": setting(path, record, "device", "type"),
        "epochs": setting(path, record, "recipe", "epochs"),
        "batch_size": setting(path, record, "recipe", "batch_size"),
        "dataset": setting(path, record, "recipe", "dataset"),
    }


def family(builder: str, arguments: Mapping[str, Any]) -> str:
    """What joins models into one line of a figure: the builder without its sizes, and its arguments but the classes."""
    others = [f"{name}={arguments[name]}" for name in sorted(arguments) if name != "num_classes"]
    words = (re.sub(r"\d", "", word) for word in builder.split("_"))
    return " ".join(["_".join(word for word in words if word), *others])


def work_and_place(record: Record) -> Row:
    """What must be alike in the processes of one device that are joined or compared, under the names of runs.csv."""
    names = ("parameters", "dataset_sha256", "code_sha256", "protocol_version", "threads_effective")
    return {**_environment(record), **{name: record[name] for name in names}}


def _environment(record: Record) -> Row:
    machine = record["machine"]
    on_cpu = record["settings"]["device"]["type"] == "cpu" or machine["accelerator"] is None
    name = machine["cpu_name"] if on_cpu else machine["accelerator"]["name"]
    read = {**record["numerics"], **_software(record["software"]), **_machine(machine)}
    return {"device_name": name, **read, "inactive": _inactive(record)}


def _software(software: Record) -> Row:
    """The versions and the build of torch; an old record lacks some."""
    named = ("python", "torch", "torchvision", "cuda", "cudnn", "numpy", "pillow", "onednn")
    build = build_settings(software.get("torch_build"))
    return {
        **{name: software.get(name) for name in named},
        "torch_build_sha256": build and hashlib.sha256(build.encode()).hexdigest(),
    }


def build_settings(build: str | None) -> str | None:
    """What torch says of its build after `Build settings:`; what stands before depends on the GPUs that it sees."""
    return (build or "").partition("Build settings:")[2].strip() or None


def _inactive(record: Record) -> str | None:
    """The knobs of the recipe that do not work on this device, and why."""
    reasons = {name: knob["reason"] for name, knob in record["active"].items() if not knob["active"]}
    return "; ".join(f"{name}: {reason}" for name, reason in reasons.items()) or None


def _machine(machine: Record) -> Row:
    accelerator = machine["accelerator"] or {"uuid": None, "driver": None}
    names = ("host", "cpu_name", "physical_cores", "slurm_job_id", "shared")
    return {
        **{name: machine[name] for name in names},
        "gpu_uuid": accelerator["uuid"],
        "driver": accelerator["driver"],
    }


def _rates(path: str, record: Record) -> Row:
    """Rates are total over total: images per second of the training clock, FLOP/s, share of the ceiling."""
    whole = record["train_s"] if record["mode"] == "measured" else record["projected_train_s"]
    images_per_s = _quotient(record["images_done"], record["elapsed_train_s"]) or None
    achieved = images_per_s and record["training_flop_per_sample"] and images_per_s * record["training_flop_per_sample"]
    return {
        "epoch_train_s": _quotient(whole, setting(path, record, "recipe", "epochs")),
        "images_per_s": images_per_s,
        "achieved_flop_per_s": achieved,
        "ceiling_share": _quotient(achieved, record["ceiling_flop_per_s"]),
        "instrument_share": _quotient(record["instrument_s"], record["elapsed_train_s"]),
    }


def _quotient(numerator: float | None, denominator: float | None) -> float | None:
    return numerator / denominator if numerator is not None and denominator else None


def _windows(record: Record, table: str, settings: QuietSettings) -> list[Row]:
    """The rows of the epoch table, each with what disturbed it."""
    names = dict(zip(IDENTITY, identity(record), strict=True))
    frame = read_epochs(table, record).astype(object)
    cells = frame.where(frame.notna(), None).to_dict("records")
    host = Host(
        threads=record["threads_effective"] or record["threads_granted"],
        affinity_cpus=record["machine"]["affinity_cpus"],
    )
    rows = [names | {str(name): value for name, value in row.items()} for row in cells]
    return [row | _verdict(disturbances(row, host, settings)) for row in rows]


def _verdict(found: list[str] | None) -> Row:
    """None: nothing could be read, so nobody knows."""
    return {"disturbed": None if found is None else bool(found), "disturbed_reason": "; ".join(found or []) or None}
