import platform
import resource
import subprocess
import sys
from types import SimpleNamespace

import pytest
import torch

from measuring import memory
from measuring.memory import forget_device_peak, peak_memory, peak_resident_bytes


@pytest.mark.parametrize(("system", "expected"), [("Linux", 2048 * 1024), ("Darwin", 2048)])
def test_the_system_counts_in_its_own_unit(monkeypatch, system, expected):
    monkeypatch.setattr(platform, "system", lambda: system)
    monkeypatch.setattr(resource, "getrusage", lambda _: SimpleNamespace(ru_maxrss=2048))
    assert peak_resident_bytes(resource.RUSAGE_SELF) == expected


def test_a_cpu_has_no_device_memory():
    peak = peak_memory(torch.device("cpu"))
    assert peak.peak_host_bytes > 10**7
    assert peak.peak_device_bytes is peak.peak_device_reserved_bytes is None


def test_the_largest_loader_process_that_ended_is_counted_where_there_are_any():
    held = 2 * peak_resident_bytes(resource.RUSAGE_SELF)
    subprocess.run([sys.executable, "-c", f"bytearray({held})"], check=True)
    assert peak_memory(torch.device("cpu"), loader_processes=2).peak_loader_bytes > held
    assert peak_memory(torch.device("cpu")).peak_loader_bytes is None


def test_a_device_that_torch_does_not_count_on_is_null(monkeypatch):
    monkeypatch.setattr(memory.torch, "get_device_module", lambda _: SimpleNamespace())
    assert peak_memory(torch.device("mps")).peak_device_bytes is None


@pytest.mark.gpu
def test_the_peak_of_a_device_starts_anew_and_holds_the_largest_tensor(accelerator):
    torch.empty(2**28, dtype=torch.uint8, device=accelerator)
    forget_device_peak(accelerator)
    torch.empty(2**26, dtype=torch.uint8, device=accelerator)
    peak = peak_memory(accelerator)
    if peak.peak_device_bytes is None:
        pytest.skip("torch does not count this accelerator's memory")
    assert 2**26 <= peak.peak_device_bytes < 2**28
    assert peak.peak_device_reserved_bytes >= peak.peak_device_bytes
