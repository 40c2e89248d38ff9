"""One study at a time in a folder: locks that the system frees when their holder ends, however it ends."""

import os
import platform
from pathlib import Path

from lineage.job import UserError
from lineage.locks import locked

COMMAND = "command.lock"  # held by `make run` and its like from start to end
WORK = "work.lock"  # held by Snakemake while it runs jobs, whoever started it


def hold_folder(lock: str, folder: Path | None = None) -> int | None:
    """Hold the folder's lock until this process ends and return its descriptor, None where there are no locks.

    Processes that this one starts do not inherit it. Raises UserError when another process holds it.
    """
    folder = (folder or Path()).absolute()
    path = folder / ".snakemake" / lock
    path.parent.mkdir(exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    if not locked(descriptor):
        holder = os.read(descriptor, 200).decode(errors="replace").strip()
        os.close(descriptor)
        raise UserError(f"Another run is at work in {folder} (process {holder}): wait until it ends, or stop it first.")
    os.ftruncate(descriptor, 0)
    os.write(descriptor, f"{os.getpid()} on {platform.node()}\n".encode())
    return descriptor


def require_free(lock: str, folder: Path | None = None) -> None:
    """Raise UserError when another process holds the folder's lock."""
    descriptor = hold_folder(lock, folder)
    if descriptor is not None:
        os.close(descriptor)
