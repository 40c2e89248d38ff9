import threading
import time

import pytest

from fetching.deadline import within


def test_work_that_ends_in_time_is_done():
    done = []
    within(5, lambda: done.append(1))
    assert done == [1]


def test_what_the_work_raises_is_raised():
    with pytest.raises(KeyError, match="lost"):
        within(5, lambda: {}["lost"])


def test_work_that_waits_for_ever_is_left_at_the_deadline():
    release = threading.Event()
    start = time.monotonic()
    with pytest.raises(TimeoutError, match=r"0\.1 s"):
        within(0.1, lambda: release.wait(30) and None)
    assert time.monotonic() - start < 1
    release.set()
