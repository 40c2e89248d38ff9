"""Which GPUs this process may use, found without torch: a process that has looked keeps seeing what it saw."""

import os
import re
import subprocess
from dataclasses import dataclass

from lineage.job import UserError

LISTING = ("nvidia-smi", "-L")
TIMEOUT_S = 60
GPU_LINE = re.compile(r"GPU (\d+): (.+) \(UUID: (GPU-[^)]+)\)")
SLICE_LINE = re.compile(r"\s+(MIG \S+)\s.*\(UUID: (MIG-[^)]+)\)")


@dataclass(frozen=True)
class Gpu:
    """A GPU, or a MIG slice of one, under the name that CUDA_VISIBLE_DEVICES takes."""

    name: str
    """Its UUID; where nothing lists the GPUs, the entry as the user wrote it."""
    product: str = ""
    profile: str = ""
    """Size of a slice."""
    index: str | None = None
    """Number of the whole GPU as the driver lists it."""
    whole: str | None = None
    """UUID of the whole GPU."""

    @property
    def kind(self) -> str:
        """What two GPUs have in common whose runs can be repeats of each other."""
        return f"{self.product} {self.profile}".strip()


def list_gpus() -> list[Gpu]:
    """Return the GPUs that NVIDIA's driver lists, a split one as its slices; none without a driver that answers."""
    try:
        done = subprocess.run(LISTING, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return parse_listing(done.stdout) if done.returncode == 0 else []


def parse_listing(text: str) -> list[Gpu]:
    """Return the GPUs that `nvidia-smi -L` printed."""
    found: list[Gpu] = []
    for line in text.splitlines():
        if match := GPU_LINE.match(line):
            index, product, uuid = match.groups()
            found.append(Gpu(uuid, product, index=index, whole=uuid))
        elif found and (match := SLICE_LINE.match(line)):
            found.append(Gpu(match[2], product, match[1], index, uuid))
    split = {gpu.whole for gpu in found if gpu.name != gpu.whole}
    return [gpu for gpu in found if gpu.name not in split]


def visible_gpus(listed: list[Gpu], setting: str | None) -> list[Gpu]:
    """Return the GPUs that a value of CUDA_VISIBLE_DEVICES allows: all of them if it is not set, none if it is empty.

    As in CUDA, an entry is a number, or a UUID or the beginning of one, and entries behind one that names no GPU do
    not count. Raises UserError for GPUs of several kinds, whose runs would be no repeats of each other.
    """
    entries = [] if setting is None else [entry.strip() for entry in setting.split(",")]
    chosen = listed if setting is None else _named(listed, entries)
    # CUDA counts unequal GPUs from the fastest, the driver from the first slot, unless CUDA is told to do the same.
    doubtful = os.environ.get("CUDA_DEVICE_ORDER") != "PCI_BUS_ID" and any(entry.isdigit() for entry in entries)
    products = {gpu.product for gpu in listed}
    kinds = products if doubtful and len(products) > 1 else {gpu.kind for gpu in chosen}
    if len(kinds) > 1:
        raise UserError(
            f"This machine has GPUs of several kinds ({', '.join(sorted(kinds))}): name those of one kind by UUID in "
            f"CUDA_VISIBLE_DEVICES ({' '.join(LISTING)} lists them), so that all runs are of one kind."
        )
    return chosen


def _named(listed: list[Gpu], entries: list[str]) -> list[Gpu]:
    found: list[Gpu] = []
    for entry in entries:
        matches = _matches(listed, entry)
        if not matches:
            break
        found += [gpu for gpu in matches if gpu not in found]
    return found


def _matches(listed: list[Gpu], entry: str) -> list[Gpu]:
    if entry.isdigit():
        return [gpu for gpu in listed if gpu.index == entry] if listed else [Gpu(entry)]
    if not entry.startswith(("GPU-", "MIG-")):
        return []
    known = [gpu for gpu in listed if gpu.name.startswith(entry) or (gpu.whole or "").startswith(entry)]
    # Older drivers name a slice MIG-GPU-<uuid>/<instance>/<instance>, which is not what they list.
    return known or ([Gpu(entry)] if not listed or entry.startswith("MIG-") else [])
