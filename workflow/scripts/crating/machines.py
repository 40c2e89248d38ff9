"""The machines on which jobs ran, as far as their records describe them."""

import json
from pathlib import Path
from typing import Any

from crating.graph import Graph, Reference
from crating.jobs import Job, short_hash

_LASTING = ("system", "cpu_name", "logical_cpus", "physical_cores", "memory_bytes", "accelerator")


def add_machine(graph: Graph, job: Job, directory: Path) -> Reference:
    """Add the machine of a job: its host name, and what a record among its outputs says of the hardware."""
    known = _recorded(job, directory)
    details = {name: known[name] for name in _LASTING if known.get(name) is not None}
    identifier = f"#machine-{short_hash([job.made.host, details])}"
    description = "; ".join(f"{name}: {_words(value)}" for name, value in details.items())
    return graph.add(identifier, ["Place", "IndividualProduct"], name=job.made.host, description=description or None)


def _recorded(job: Job, directory: Path) -> dict[str, Any]:
    """Return the section `machine` of the record that the job wrote, empty where it wrote none or it is damaged."""
    records = [_content(directory / known.file) for known in job.outputs if known.file.endswith(".json")]
    machines = [record.get("machine") for record in records if isinstance(record, dict)]
    return next((machine for machine in machines if isinstance(machine, dict)), {})


def _content(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # named by `lineage verify`
        return None


def _words(value: Any) -> str:
    return json.dumps(value, sort_keys=True) if isinstance(value, dict | list) else str(value)
