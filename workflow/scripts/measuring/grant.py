"""Which processors the machine gave this process, and how they are set."""

import os
from collections import Counter
from pathlib import Path
from typing import Any

from measuring import cores
from measuring.readable import read_cpu_list, read_int, read_text

DEVICES = Path("/sys/devices")


def describe_grant() -> dict[str, Any]:
    """Return the processor fields of the `machine` part of a record; what cannot be read is None."""
    return {
        "affinity_cpus": len(cores.affinity()),
        "numa_nodes": numa_nodes(),
        "core_types": core_types(),
        "smt": _flag(cores.CPUS / "smt" / "active"),
        "governor": governor(),
        "turbo": turbo(),
    }


def numa_nodes() -> int | None:
    """Return over how many memory nodes the CPUs of this process are spread."""
    nodes = {node.name for cpu in cores.affinity() for node in (cores.CPUS / f"cpu{cpu}").glob("node[0-9]*")}
    return len(nodes) or None


def core_types() -> dict[str, int] | None:
    """Return how many of the logical CPUs are of each type: performance and efficiency, by capacity, or uniform."""
    own = cores.affinity()
    hybrid = {"performance": "cpu_core", "efficiency": "cpu_atom"}  # as Intel's hybrid processors are shown
    counts = {name: len(own & read_cpu_list(DEVICES / folder / "cpus")) for name, folder in hybrid.items()}
    if any(counts.values()):
        return counts
    found = Counter(read_int(cores.CPUS / f"cpu{cpu}" / "cpu_capacity") for cpu in own)
    if len(found) > 1:
        return {f"capacity_{capacity}": count for capacity, count in found.items()}
    return {"uniform": len(own)} if None not in found or (DEVICES / "cpu").exists() else None


def governor() -> str | None:
    """Return the frequency governor, several joined by `+`."""
    paths = [cores.CPUS / f"cpu{cpu}" / "cpufreq" / "scaling_governor" for cpu in cores.affinity()]
    return "+".join(sorted({text for path in paths if (text := read_text(path)) is not None})) or None


def turbo() -> bool | None:
    """Return whether the processor may exceed its base frequency."""
    off = _flag(cores.CPUS / "intel_pstate" / "no_turbo")
    return _flag(cores.CPUS / "cpufreq" / "boost") if off is None else not off


def _flag(path: Path) -> bool | None:
    value = read_int(path)
    return None if value is None else bool(value)


def load_average() -> float | None:
    """Return how many threads wanted to run, on average over the last minute."""
    try:
        return os.getloadavg()[0]
    except OSError:
        return None
