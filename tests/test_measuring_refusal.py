"""measuring.refusal: an ending of its own, which no handler of another failure takes for its own."""

import pytest

from lineage.job import UserError
from measuring.outcome import DivergedError, is_out_of_memory, outcome
from measuring.refusal import RefusedError


def test_a_refusal_is_stated_with_its_reason_even_where_it_speaks_of_memory():
    error = RefusedError("the device has less memory than asked for: out of memory")

    def work():
        raise error

    assert outcome(work, "paper") == ("refused", str(error))


@pytest.mark.parametrize("other", [RuntimeError, MemoryError, OSError, UserError, DivergedError])
def test_a_refusal_is_no_other_failure(other):
    assert not issubclass(RefusedError, other)
    assert not is_out_of_memory(RefusedError("2 threads were granted"))
