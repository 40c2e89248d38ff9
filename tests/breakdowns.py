"""Records of instrumented passes for tests, with parts that a reader can add up."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from records import ACCELERATOR, COLUMNS, PARAMETERS, QUIET, ROOT, SCHEMA, STATISTICS, Run, change, record

BREAKDOWN_SCHEMA = ROOT / "workflow/schemas/breakdown.schema.yaml"
PARTS_MS = {"data_wait": 10.0, "copy": 20.0, "forward": 30.0, "backward": 25.0, "optimizer": 10.0, "other": 5.0}


@dataclass(frozen=True, kw_only=True)
class Pass:
    """One planned pass; without record when status is `missing`."""

    recipe: str = "paper"
    model: str = "simple_cnn"
    device: str = "cuda"
    repeat: int = 1
    gpus: int = 1
    parts_ms: dict[str, float] = field(default_factory=lambda: dict(PARTS_MS))
    pace_ms: float = 80.0  # of an undisturbed step on a GPU
    steps: int = 2
    other_cpu_s: float = 0.04  # of other processes on four CPUs in 4 s
    status: str = "ok"
    changes: dict[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """Ten hex digits that look like a number."""
        return "0123456789"

    @property
    def planned(self) -> dict[str, Any]:
        """The entry of the list of planned passes."""
        return {name: getattr(self, name) for name in ("recipe", "model", "device", "key", "repeat", "gpus")}


def surroundings(other_cpu_s: float, gpu: bool) -> dict[str, Any]:
    """What was read around the sampled steps."""
    seen = {"involuntary_switches": 20, "cpu_share": 0.95, "steal_share": 0.0, "other_cpu_s": other_cpu_s}
    on_gpu = {"gpu_throttle_reasons": "none", "gpu_other_processes": 0} if gpu else {}
    return dict.fromkeys(COLUMNS[-13:]) | seen | on_gpu


def breakdown_record(one: Pass) -> dict[str, Any]:
    """The record of a pass: every sampled step is alike."""
    ok, gpu = one.status == "ok", bool(one.gpus)
    parts_s = {f"{part}_s": ms / 1000 for part, ms in one.parts_ms.items()}
    device_s = {part: ms / 1000 for part, ms in one.parts_ms.items() if part != "other"} if gpu else None
    sample = {"images": 128, "step_s": sum(one.parts_ms.values()) / 1000, **parts_s, "device_s": device_s}
    pace_s = one.pace_ms / 1000
    pace = {"window_s": pace_s * one.steps, "step_s": [pace_s] * one.steps, "step_images": [128] * one.steps}
    shared = record(Run(recipe=one.recipe, model=one.model, device=one.device, repeat=one.repeat, gpus=one.gpus))
    names = ("recipe", "model", "device", "key", "repeat", "seed", "schema_version", "protocol_version", "settings")
    more = ("active", "code_sha256", "dataset_sha256", "numerics", "machine", "software", "started", "ended")
    threads = ("threads_requested", "threads_granted", "threads_effective")
    content = {name: shared[name] for name in (*names, *more, *threads)} | {
        "status": one.status,
        "status_reason": None if ok else "no memory was left",
        "parameters": PARAMETERS[one.model],
        "samples": [sample] * one.steps if ok else [],
        "parts_reason": None,
        "pace": pace if ok and gpu else None,
        "window_s": 4.0 if ok else None,
        "surroundings": surroundings(one.other_cpu_s, gpu) if ok else None,
        "profiled_steps": 3 if gpu else 0,
        "kernels": 50.0 if gpu else None,
        "kernel_s": 0.0005 if gpu else None,
        "memcpy_s": 0.0001 if gpu else None,
        "kernels_reason": None if gpu else "a device of type cpu has no kernels that the profiler counts",
        "launch_s": 4e-6 if gpu else None,
        "aten_ops": 90,
    }
    content["settings"]["breakdown"] = {"warm_up_steps": 10, "steps": one.steps}
    content["machine"]["accelerator"] = ACCELERATOR if gpu else None
    return change(content, one.changes)


def breakdown_table(folder: Path, passes: list[Pass]) -> Path:
    """Write the records of the passes that are not missing, and breakdown.csv; return its path."""
    from reporting.breakdown import collect_breakdown

    paths = []
    for one in (one for one in passes if one.status != "missing"):
        path = folder / f"breakdown/{one.recipe}/{one.model}/{one.device}/{one.key}/{one.repeat}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(breakdown_record(one)), encoding="utf-8")
        paths.append(str(path))
    folder.mkdir(parents=True, exist_ok=True)
    collect_breakdown(
        records=paths,
        planned=json.dumps([one.planned for one in passes]),
        schema=str(BREAKDOWN_SCHEMA),
        run_schema=str(SCHEMA),
        statistics=json.dumps(STATISTICS),
        quiet=json.dumps(QUIET),
        output=str(folder / "breakdown.csv"),
    )
    return folder / "breakdown.csv"


def five(**more: Any) -> list[Pass]:
    """Five processes of one pass."""
    return [Pass(repeat=repeat, **more) for repeat in range(1, 6)]


GRAPH = {"samples": [], "parts_reason": "not taken apart: the whole step is one graph", "aten_ops": None}
CPU_MS = PARTS_MS | {"copy": 0.002, "forward": 200.0, "backward": 400.0, "optimizer": 40.0}


def breakdown_cases() -> dict[str, list[Pass]]:
    """Studies that the figure must show legibly."""
    study, every = ("simple_cnn", "resnet18", "resnet50"), tuple(PARAMETERS)
    cpu = [Pass(model=m, device="cpu", gpus=0, parts_ms=CPU_MS) for m in study]
    gpu = [Pass(model=m, parts_ms=PARTS_MS | {"forward": 30.0 * i, "backward": 60.0 * i}) for i, m in enumerate(study)]
    failed = [Pass(model="resnet152", status="oom"), Pass(model="resnet152", device="cpu", gpus=0, status="missing")]
    devices = (("cpu_8_threads", 0), ("cpu_16_threads", 0), ("cuda", 1))
    return {
        "nothing": [Pass(status="missing")],
        "cpu_only": cpu,
        "both": [*cpu, *gpu],
        "one_graph": [*cpu, *gpu, *(Pass(recipe="tuned", model=m, changes=GRAPH) for m in study)],
        "two_recipes": [*cpu, *gpu, *(Pass(recipe="workers", model=m) for m in study)],
        "with_failures": [*cpu, *gpu, *failed],
        "unlike": [*cpu, Pass(), Pass(repeat=2, changes={"machine.host": "node2"})],
        "disturbed": [*cpu, Pass(), Pass(repeat=2, other_cpu_s=8.0)],
        "unlike_disturbed": [*cpu, Pass(other_cpu_s=8.0), Pass(repeat=2, changes={"machine.host": "node2"})],
        "unlike_and_missing": [
            *cpu,
            Pass(),
            Pass(repeat=2, changes={"machine.host": "node2"}),
            Pass(repeat=3, status="missing"),
        ],
        "many": [
            Pass(model=m, device=d, gpus=g, parts_ms=PARTS_MS if g else CPU_MS) for m in every for d, g in devices
        ],
    }
