"""One timed run at a time on a machine, whoever started it: another copy of the workflow, or a run left over by one."""

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows has no such lock
    fcntl = None  # type: ignore[assignment]

LOCK = "gpu-training-speedup.lock"
WHOLE_SLOT = 100


def is_shared(timing_slot: int) -> bool:
    """Return whether a job that takes this much of the resource `timing_slot` lets other timed runs beside it.

    A part of the slot does. None of it does not: then the scheduler is to keep others away, and this lock still helps.
    """
    return 0 < timing_slot < WHOLE_SLOT


def print_line(line: str) -> None:
    """Say it on the terminal at once."""
    print(line, file=sys.stderr, flush=True)


@contextmanager
def machine_to_ourselves(
    folder: Path | None = None, write: Callable[[str], None] = print_line, shared: bool = False
) -> Iterator[float]:
    """Hold the lock of all timed runs of this machine, and yield the seconds that were spent waiting for it.

    Shared, it is held together with other runs that share it, but never beside one that does not.
    The lock is a file in the folder for temporary files, and the system frees it when its holder ends, however it
    ends. Says so before it waits.
    """
    started = time.perf_counter()
    if fcntl is None:
        yield 0.0
        return
    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    lock = open_lock(Path(folder or tempfile.gettempdir()) / LOCK)
    try:
        try:
            fcntl.flock(lock, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            write("Another timed run of this software is on this machine, started elsewhere: waiting until it ends.")
            fcntl.flock(lock, kind)
        yield time.perf_counter() - started
    finally:
        release(lock)


def release(lock: int) -> None:
    """Free a lock; closing is not enough: a forked loader process may still hold it open."""
    fcntl.flock(lock, fcntl.LOCK_UN)
    os.close(lock)


def open_lock(path: Path) -> int:
    """Open for reading: that is enough for a lock, and works on the file of another user, who may have made it."""
    try:
        return os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        lock = os.open(path, os.O_RDONLY | os.O_CREAT, 0o666)
        os.fchmod(lock, 0o666)  # whatever the umask
        return lock
