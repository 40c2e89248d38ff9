"""A small folder of results with its sidecars, as jobs leave it: data, two models on two devices, a table, a figure."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

from lineage.digest import Fingerprint
from lineage.job import tracked
from lineage.sidecar import read_sidecar, write_sidecar
from lineage.source import Source

SERVED = Source(
    name="author", url="https://host/images.tar.gz", files=(Fingerprint(file="images.tar.gz", sha256="a" * 64, size=9),)
)
DATA, TABLE, FIGURE = "results/data/d.npz", "results/tables/t.csv", "results/figures/f.png"
MADE_EVERYWHERE = {
    "host": "node1",
    "git": {"commit": "c" * 40, "dirty": False},
    "software": {"python": "3.11.7", "snakemake": "9.27.1"},
    "started": "2026-12-01T10:00:00+00:00",
    "ended": "2026-12-01T10:00:05+00:00",
}


def outputs_of(model: str, device: str) -> list[str]:
    return [f"results/runs/{model}/{device}/1.{end}" for end in ("json", "csv")]


RUNS = [name for model in ("cnn", "vit") for device in ("cpu", "gpu") for name in outputs_of(model, device)]
FILES = sorted([DATA, *RUNS, TABLE, FIGURE])


def make_results(folder: Path) -> None:
    """Write FILES, with sidecars that are the same on every machine, below `folder`, the current one."""
    for name, text in (("facts.yaml", "facts"), ("Snakefile", "rule all:\n"), ("job.py", "")):
        (folder / name).write_text(text)
    make("dataset", [DATA], [], {"dataset": "d"}, SERVED)
    for model in ("cnn", "vit"):
        for device in ("cpu", "gpu"):
            make("train", outputs_of(model, device), [DATA], {"model": model, "device": device, "repeat": "1"})
    make("collect", [TABLE], [*RUNS, "facts.yaml"], {})
    make("plot", [FIGURE], [TABLE], {})


def make(rule: str, outputs: list[str], inputs: list[str], wildcards: dict[str, str], *sources: Source) -> None:
    """Write the outputs of one job and their sidecars."""
    params = {"settings": '{"epochs": 2}', "width": 3.4}
    job = SimpleNamespace(rule=rule, wildcards=wildcards, params=params, input=inputs, output=outputs, log=[])
    with tracked(job, "job.py") as served:
        served += sources
        for name in outputs:
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_text(_content(name))
    for name in outputs:
        write_sidecar(replace(read_sidecar(Path(f"{name}.prov.json")), **MADE_EVERYWHERE), Path())


def _content(name: str) -> str:
    machine = {"host": "node1", "cpu_name": "a CPU", "load_average": len(name) / 7}
    return json.dumps({"of": name, "machine": machine}) if name.endswith(".json") else name
