"""The control groups that this process belongs to. Imports nothing heavy: the scheduler asks too."""

from pathlib import Path

from measuring.readable import read_text

CGROUPS = Path("/sys/fs/cgroup")
OWN_CGROUP = Path("/proc/self/cgroup")


def own_groups(controller: str) -> list[Path]:
    """Return the folders of this process's group and of each group above it, the innermost first.

    Version 2 has one tree, version 1 one for each controller (`cpu`), in a folder of that name. A folder need not
    exist: a container often sees its own group as the root.
    """
    own = [line.split(":", 2) for line in (read_text(OWN_CGROUP) or "").splitlines()]
    paths = {path.strip("/") for _, names, path in own if not names or controller in names.split(",")}
    groups = {group for path in paths | {""} for group in (Path(path), *Path(path).parents)}
    inwards = sorted(groups, key=lambda group: (-len(group.parts), group))
    return [root / group for group in inwards for root in (CGROUPS, CGROUPS / controller)]
