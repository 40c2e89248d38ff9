import pytest
import torch

from measuring import threads
from measuring.threads import RefusedError, set_threads


def test_the_threads_are_set_and_read_back(monkeypatch):
    before = torch.get_num_threads()
    result = set_threads(1, granted=4)
    assert (result.threads_requested, result.threads_granted, result.threads_effective) == (1, 4, 1)
    assert torch.get_num_threads() == 1
    torch.set_num_threads(before)


def test_fewer_threads_than_configured_are_refused(monkeypatch):
    monkeypatch.setattr(threads, "wanted_threads", lambda _: 8)
    monkeypatch.setattr(threads, "available_cpus", lambda: 8)
    with pytest.raises(RefusedError, match="threads: auto means 8 here, but the scheduler granted 1: use --cores all"):
        set_threads("auto", granted=1)


def test_more_threads_than_the_machine_gives_are_refused(monkeypatch):
    monkeypatch.setattr(threads, "available_cpus", lambda: 2)
    with pytest.raises(RefusedError, match="threads: 64 was asked for, but this process may use 2 CPUs only"):
        set_threads(64, granted=64)
