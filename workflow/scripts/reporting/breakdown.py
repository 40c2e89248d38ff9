"""breakdown.csv: where the time of a training step goes, one row a recipe, model and device."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd
from jsonschema import Draft202012Validator

from lineage.job import UserError
from reporting.collect import identity, work_and_place
from reporting.notes import failures
from reporting.obstacles import unlike_processes
from reporting.quiet import Host, QuietSettings, disturbances
from reporting.records import REMEDY, Record, damaged, place, read_schema, read_valid, setting
from reporting.statistics import Estimate, StatisticsSettings, linear_combination
from reporting.tables import BREAKDOWN_COLUMNS, DEVICE_PARTS, PARTS, known, write_table

COMPUTE = ("forward", "backward", "optimizer")
SYNCHRONISED = "parts: device synchronised after each, so they do not overlap; step_s: undisturbed steps, which do"
ON_CPU = "step_s is the sum of the parts"
Row = dict[str, Any]
Run = Mapping[str, Any]


def collect_breakdown(
    *, records: Sequence[str], planned: str, schema: str, run_schema: str, statistics: str, quiet: str, output: str
) -> None:
    """Write breakdown.csv.

    Args:
        records: records of instrumented passes, any order.
        planned: JSON list of {recipe, model, device, key, repeat, gpus}; its order is that of the rows.
        schema: the JSON schema of these records, which refers to `run_schema`.
        run_schema: the JSON schema of the records of runs.
        statistics: JSON of the `statistics` part of the configuration.
        quiet: JSON of the `quiet` part of the configuration.
        output: the table.

    A damaged record counts as status `damaged` of its repeat; the others are not concerned.
    """
    plan, settings = json.loads(planned), StatisticsSettings.from_json(statistics)
    validator = read_schema(schema, run_schema)
    found = {place(path): _read(path, validator) for path in records}
    limits = QuietSettings.from_json(quiet)
    write_table((_row(runs, found, settings, limits) for runs in _groups(plan)), BREAKDOWN_COLUMNS, output)


def _read(path: str, schema: Draft202012Validator) -> Record:
    """The record, or only status and reason where it is damaged."""
    try:
        record = read_valid(path, schema)
        if _name(record) != place(path):
            raise UserError(f"{path}: says that it is breakdown {_name(record)}, expected that of its path: {REMEDY}.")
        _check_samples(path, record)
    except UserError as error:
        return damaged(error)
    return record


def _name(run: Run) -> str:
    return "/".join(str(part) for part in identity(run))


def _check_samples(path: str, record: Record) -> None:
    """Refuse what the schema cannot: another number of samples than asked for, or parts that are not the step."""
    apart = record["status"] == "ok" and record["parts_reason"] is None
    wanted = setting(path, record, "breakdown", "steps") if apart else 0
    if len(record["samples"]) != wanted:
        raise UserError(f"{path}: holds {len(record['samples'])} samples, expected {wanted}: {REMEDY}.")
    for number, sample in enumerate(record["samples"], start=1):
        total = math.fsum(sample[f"{part}_s"] for part in PARTS)
        if not math.isclose(total, sample["step_s"], rel_tol=1e-6, abs_tol=1e-9):
            raise UserError(f"{path}: the parts of sample {number} add up to {total} s, not to its step: {REMEDY}.")


def _groups(plan: Sequence[Run]) -> Iterator[list[Run]]:
    """The repeats of each recipe, model and device."""
    groups: dict[Any, list[Run]] = {}
    for run in plan:
        groups.setdefault((run["recipe"], run["model"], run["device"]), []).append(run)
    yield from groups.values()


def _row(runs: Sequence[Run], found: Mapping[str, Record], settings: StatisticsSettings, limits: QuietSettings) -> Row:
    records = {run["repeat"]: found.get(_name(run)) for run in runs}
    status = {repeat: record["status"] if record else "missing" for repeat, record in records.items()}
    ok = [record for record in records.values() if record and record["status"] == "ok"]
    failed = [repeat for repeat, word in status.items() if word not in ("ok", "missing")]
    row = {
        **{name: runs[0][name] for name in ("recipe", "model", "device", "key", "gpus")},
        "status": ", ".join(known(status.values())),
        "status_reason": " / ".join(known(record["status_reason"] for record in records.values() if record)) or None,
        "failed_repeats": " ".join(map(str, failed)) or None,
        "n": len(ok),
    }
    if not ok:
        return row
    row |= {**_environment(ok), **_disturbances(ok, limits)}
    refused = unlike_processes(pd.DataFrame([work_and_place(record) for record in ok]))
    if refused:
        return {**row, "note": refused}
    return {**row, **_times(ok), **_ratios(ok, settings), **_work(ok), "note": _note(status, ok)}


def _environment(ok: Sequence[Record]) -> Row:
    on_cpu = _on_cpu(ok)
    names = [record["machine"]["cpu_name"] if on_cpu else record["machine"]["accelerator"]["name"] for record in ok]
    settings = ok[0]["settings"]
    return {
        "device_type": settings["device"]["type"],
        "device_name": " / ".join(known(names)) or None,
        "host": " / ".join(known(record["machine"]["host"] for record in ok)),
        "parameters": ok[0]["parameters"],
        "batch_size": settings["recipe"]["batch_size"],
    }


def _on_cpu(ok: Sequence[Record]) -> bool:
    return ok[0]["settings"]["device"]["type"] == "cpu"


def _disturbances(ok: Sequence[Record], limits: QuietSettings) -> Row:
    """How many passes something else disturbed over their sampled steps, and how; empty where nobody knows."""
    judged = [found for record in ok if (found := _disturbed(record, limits)) is not None]
    reasons = known("; ".join(found) for found in judged if found)
    count = sum(bool(found) for found in judged)
    return {"disturbed_passes": count if judged else None, "disturbed_reason": " / ".join(reasons) or None}


def _disturbed(record: Record, limits: QuietSettings) -> list[str] | None:
    host = Host(threads=record["threads_effective"], affinity_cpus=record["machine"]["affinity_cpus"])
    return disturbances({**record["surroundings"], "train_s": record["window_s"]}, host, limits)


def _times(ok: Sequence[Record]) -> Row:
    """Mean seconds a step and of each part, and each part's share of the step: total over total."""
    samples = [sample for record in ok for sample in record["samples"]]
    if not samples:
        return _whole([record["pace"] for record in ok])
    step_s = math.fsum(sample["step_s"] for sample in samples)
    parts_s = {part: math.fsum(sample[f"{part}_s"] for sample in samples) for part in PARTS}
    return {
        "steps": len(samples),
        "step_s": _undisturbed_s([record["pace"] for record in ok]) or step_s / len(samples),
        "synchronised_step_s": step_s / len(samples),
        **{f"{part}_s": seconds / len(samples) for part, seconds in parts_s.items()},
        **{f"{part}_share": seconds / step_s for part, seconds in parts_s.items()},
        **_device_times([sample["device_s"] for sample in samples]),
    }


def _device_times(samples: Sequence[Mapping[str, float] | None]) -> Row:
    """Mean seconds of each part by the device's own events; nothing on a CPU, which has none."""
    seen = [sample for sample in samples if sample]
    parts = DEVICE_PARTS if seen else ()
    return {f"{part}_device_s": math.fsum(sample[part] for sample in seen) / len(seen) for part in parts}


def _whole(paces: Sequence[Record]) -> Row:
    """A step that was not taken apart has a length and no parts."""
    return {"steps": sum(len(pace["step_s"]) for pace in paces), "step_s": _undisturbed_s(paces)}


def _undisturbed_s(paces: Sequence[Record | None]) -> float | None:
    """Mean seconds of the steps that nothing disturbed; None on a CPU, where the parts disturb nothing."""
    taken = [pace for pace in paces if pace]
    steps = sum(len(pace["step_s"]) for pace in taken)
    return math.fsum(pace["window_s"] for pace in taken) / steps if steps else None


def _ratios(ok: Sequence[Record], settings: StatisticsSettings) -> Row:
    """Copy over step and computation over copy, with intervals over processes; nothing on a CPU, which copies nothing.

    Each process gives one ratio; they are joined by their geometric mean, with a t interval on logs.
    """
    copies = [_total_s(record, ["copy"]) for record in ok]
    if _on_cpu(ok) or min(copies) <= 0:  # nothing is copied either where the images are on the device already
        return {}
    steps, compute = [_total_s(record, PARTS) for record in ok], [_total_s(record, COMPUTE) for record in ok]
    share = _joined(copies, steps, settings.confidence)
    ratio = _joined(compute, copies, settings.confidence)
    return {
        "copy_share_low": share.low,
        "copy_share_high": share.high,
        "compute_to_copy": ratio.value,
        "compute_to_copy_low": ratio.low,
        "compute_to_copy_high": ratio.high,
    }


def _total_s(record: Record, parts: Sequence[str]) -> float:
    return math.fsum(sample[f"{part}_s"] for sample in record["samples"] for part in parts)


def _joined(numerators: Sequence[float], denominators: Sequence[float], confidence: float) -> Estimate:
    logs = [math.log(above / below) for above, below in zip(numerators, denominators, strict=True)]
    return linear_combination([logs], [1], confidence=confidence).exp()


def _work(ok: Sequence[Record]) -> Row:
    """Means over the processes that could see them."""
    names = ("aten_ops", "kernels", "kernel_s", "memcpy_s", "launch_s")
    seen = {name: [record[name] for record in ok if record[name] is not None] for name in names}
    means = {name: sum(values) / len(values) if values else None for name, values in seen.items()}
    kernels, launch_s = means["kernels"], means["launch_s"]
    floor = kernels * launch_s if kernels is not None and launch_s is not None else None
    return {**means, "launch_floor_s": floor}


def _note(status: Mapping[int, str], ok: Sequence[Record]) -> str:
    reasons = known(record["kernels_reason"] for record in ok)
    failed = failures(pd.Series(list(status.values())))
    whole = known(record["parts_reason"] for record in ok)
    notes = [
        *(whole or [ON_CPU if _on_cpu(ok) else SYNCHRONISED]),
        *reasons,
        *([f"not counted: {failed}"] if failed else []),
    ]
    return "; ".join(notes)
