"""How a run or a breakdown ended: what is a result that a record states, and what is a failure without a record."""

from collections.abc import Callable

import torch

from lineage.job import UserError
from measuring.refusal import RefusedError

MEMORY_TEXTS = ("DefaultCPUAllocator", "out of memory", "ALLOC_FAILED")
SHARED_MEMORY_TEXTS = ("shared memory", "unable to write to file </torch_")


class DivergedError(Exception):
    """The loss is no longer a finite number, so the time is not that of a training."""


def outcome(work: Callable[[], None], recipe: str) -> tuple[str, str | None]:
    """Do the work and return its status with the reason: ok (None), refused, diverged or oom.

    Raises UserError where the loader processes of this recipe ran out of shared memory; passes other failures on.
    """
    try:
        work()
    except RefusedError as error:
        return "refused", str(error)
    except DivergedError as error:
        return "diverged", str(error)
    except (MemoryError, RuntimeError) as error:
        _explain_full_shared_memory(error, recipe)
        if not is_out_of_memory(error):
            raise
        return "oom", (str(error).splitlines() or ["out of memory"])[0]
    return "ok", None


def _explain_full_shared_memory(error: Exception, recipe: str) -> None:
    for line in str(error).splitlines():
        if any(text in line for text in SHARED_MEMORY_TEXTS):
            raise UserError(
                f"The loader processes ran out of shared memory ({line.strip()}): enlarge /dev/shm, or set "
                f"config.recipes.{recipe}.loader_workers to 0."
            ) from error


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether an allocator gave up; torch does not always say so by the class of its exception."""
    known = isinstance(error, MemoryError | torch.OutOfMemoryError)
    return known or any(text in str(error) for text in MEMORY_TEXTS)
