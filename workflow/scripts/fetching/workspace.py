"""A temporary folder beside an output, on the same file system, so that finished files can be renamed into place."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lineage.job import UserError


@contextmanager
def workspace(output: Path) -> Iterator[Path]:
    """Yield an empty folder beside `output`; remove it afterwards, and what a killed process left of the kind."""
    output.parent.mkdir(parents=True, exist_ok=True)
    prefix = f".{output.name}.part-"
    for leftover in output.parent.glob(f"{prefix}*"):
        shutil.rmtree(leftover, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=output.parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def need_space(folder: Path, needed_bytes: int, name: str) -> None:
    """Raise UserError unless the disk of `folder` has `needed_bytes` free."""
    free = shutil.disk_usage(folder).free
    if free < needed_bytes:
        raise UserError(
            f"Dataset {name} needs {_size(needed_bytes)} of free disk space in {folder.parent}, which has "
            f"{_size(free)}: free some, or work on another disk."
        )


def _size(count: int) -> str:
    return f"{count / 1e9:.2f} GB" if count >= 1e8 else f"{count / 1e6:.2f} MB"
