"""The list of files that were left out of a copy of the results on purpose."""

from pathlib import Path

NAME = "left_out.txt"


def read(folder: Path) -> frozenset[str]:
    """Return the names in `folder / left_out.txt`, one a line as sidecars spell them; none where there is no list."""
    path = folder / NAME
    return frozenset(path.read_text(encoding="utf-8").splitlines()) if path.exists() else frozenset()
