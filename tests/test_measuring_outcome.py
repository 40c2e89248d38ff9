import re

import pytest

from lineage.job import UserError
from measuring.outcome import DivergedError, outcome
from measuring.refusal import RefusedError


def ending_with(error):
    def work():
        raise error

    return work


def test_work_that_ends_well_is_ok_without_a_reason():
    assert outcome(lambda: None, "paper") == ("ok", None)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (RefusedError("2 threads were granted"), "refused"),
        (DivergedError("the loss is nan"), "diverged"),
        (MemoryError("everything is used"), "oom"),
        (RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory"), "oom"),
        (RuntimeError("CUDA error: out of memory"), "oom"),
        (RuntimeError("CUBLAS_STATUS_ALLOC_FAILED"), "oom"),
    ],
)
def test_what_a_record_states_has_a_status_and_the_reason(error, status):
    assert outcome(ending_with(error), "paper") == (status, str(error))


def test_a_reason_is_one_line():
    assert outcome(ending_with(RuntimeError("out of memory\nframe #0")), "paper") == ("oom", "out of memory")
    assert outcome(ending_with(MemoryError()), "paper") == ("oom", "out of memory")


@pytest.mark.parametrize(
    "message",
    [
        "DataLoader worker (pid 7) is killed by signal: Bus error. It is possible that dataloader's workers are out of "
        "shared memory. Please try to raise your shared memory limit.",
        "unable to allocate shared memory(shm) for file </torch_7_1_0>: No space left on device (28)",
        "Caught RuntimeError in DataLoader worker process 0.\nOriginal Traceback:\n"
        "RuntimeError: unable to write to file </torch_7_1_0>: No space left on device (28)",
    ],
)
def test_loader_processes_without_shared_memory_are_one_sentence(message):
    last_line = re.escape(message.splitlines()[-1])
    advice = r"enlarge /dev/shm, or set config\.recipes\.paper\.loader_workers to 0\.$"
    with pytest.raises(UserError, match=rf"ran out of shared memory \({last_line}\): {advice}"):
        outcome(ending_with(RuntimeError(message)), "paper")


def test_any_other_failure_passes():
    with pytest.raises(RuntimeError, match="odd"):
        outcome(ending_with(RuntimeError("odd")), "paper")
