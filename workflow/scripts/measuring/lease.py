"""A GPU for each run of this machine: leased by a lock on its UUID, whoever started the run."""

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from measuring.exclusive import fcntl, open_lock, print_line, release
from measuring.visible_gpus import Gpu, list_gpus, visible_gpus

VISIBLE = "CUDA_VISIBLE_DEVICES"
POLL_S = 0.5


@contextmanager
def leased_gpu(
    gpus: int,
    folder: Path | None = None,
    write: Callable[[str], None] = print_line,
    list_all: Callable[[], list[Gpu]] = list_gpus,
) -> Iterator[float]:
    """Let this process see one GPU that no other run of this machine has, and yield the seconds that this took.

    To be entered before torch is imported. What CUDA_VISIBLE_DEVICES allows bounds the choice; a scheduler that sets
    it has made it. Nothing happens for a run that needs no GPU, and where no NVIDIA GPU can be found. The system frees
    the lock when its holder ends, however it ends.
    """
    started = time.perf_counter()
    candidates = visible_gpus(list_all(), os.environ.get(VISIBLE)) if gpus and fcntl else []
    if not candidates:
        yield 0.0
        return
    gpu, lock = _first_free(candidates, Path(folder or tempfile.gettempdir()), write)
    before = os.environ.get(VISIBLE)
    os.environ[VISIBLE] = gpu.name
    try:
        yield time.perf_counter() - started
    finally:
        os.environ.pop(VISIBLE) if before is None else os.environ.update({VISIBLE: before})
        release(lock)


def lock_name(gpu: Gpu) -> str:
    """Return the name of the file that stands for this GPU in the folder for temporary files."""
    return f"gpu-training-speedup.{gpu.name.replace('/', '_')}.lock"


def _first_free(candidates: list[Gpu], folder: Path, write: Callable[[str], None]) -> tuple[Gpu, int]:
    told = False
    while True:
        for gpu in candidates:
            if (lock := _try_lock(folder / lock_name(gpu))) is not None:
                return gpu, lock
        if not told:
            write(f"Other runs hold the {len(candidates)} GPUs that this one may use: waiting until one is free.")
        told = True
        time.sleep(POLL_S)


def _try_lock(path: Path) -> int | None:
    lock = open_lock(path)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return None
    return lock
