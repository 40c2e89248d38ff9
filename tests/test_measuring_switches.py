import ctypes
import platform
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from configs import ROOT
from measuring.knobs import Knobs
from measuring.switches import set_switches
from runs import RECIPE


def run_python(code, argument):
    """What code prints in a process of its own."""
    path = f"{ROOT}/workflow/scripts:{ROOT}/tests"
    command = [sys.executable, "-c", code, str(argument)]
    return subprocess.run(command, capture_output=True, text=True, check=True, env={"PYTHONPATH": path}).stdout


DENORMALS = """
import sys
from dataclasses import replace
from types import SimpleNamespace
import torch
from measuring.knobs import Knobs
from measuring.switches import set_switches
from runs import RECIPE
set_switches(Knobs(replace(RECIPE, flush_denormals=sys.argv[1] == "True"), torch.device("cpu")))
torch.set_num_threads(2)
print(int((torch.full((2**20,), 1e-30) * 1e-10).count_nonzero()))
"""


@pytest.mark.parametrize(("flush", "count"), [(True, 0), (False, 2**20)])
def test_denormals_are_flushed_in_every_thread(flush, count):
    assert int(run_python(DENORMALS, flush)) == count


FAULTS = """
import resource, sys
from dataclasses import replace
from types import SimpleNamespace
import torch
from measuring.knobs import Knobs
from measuring.switches import set_switches
from runs import RECIPE
set_switches(Knobs(replace(RECIPE, retain_host_memory=sys.argv[1] == "True"), torch.device("cpu")))
def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
torch.ones(2**24)
before = faults()
for _ in range(10):
    torch.ones(2**24)
print(faults() - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="needs glibc")
def test_retained_memory_is_not_fetched_from_the_system_again():
    retained, given_back = (int(run_python(FAULTS, keep)) for keep in (True, False))
    assert retained < given_back / 5  # ten times 64 MiB: 163,840 pages, or 320 huge ones


KEPT = """
from dataclasses import replace
import psutil, torch
from measuring.knobs import Knobs
from measuring.switches import set_switches
from runs import RECIPE
set_switches(Knobs(replace(RECIPE, retain_host_memory=True), torch.device("cpu")))
tensors = [torch.empty(2**26) for _ in range(10)]
held = psutil.Process().memory_info().vms
del tensors
print((held - psutil.Process().memory_info().vms) // 2**20)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="needs glibc")
def test_as_much_memory_as_a_large_network_needs_is_retained():
    assert int(run_python(KEPT, "")) < 100  # MiB of 2560 that no page was ever written in


def test_without_glibc_no_memory_is_retained(monkeypatch):
    monkeypatch.setattr(platform, "libc_ver", lambda: ("", ""))
    knobs = Knobs(replace(RECIPE, retain_host_memory=True), torch.device("cpu"))
    set_switches(knobs)
    assert knobs.inactive() == "retain_host_memory: the C library is not glibc"


def test_older_versions_of_glibc_retain_memory_too(monkeypatch):
    monkeypatch.setattr(platform, "libc_ver", lambda: ("glibc", "2.28"))

    def mallopt(parameter, value):
        return int(
            parameter != -3 or value <= 2**25
        )  # M_MMAP_THRESHOLD is at most half of the largest heap of a thread

    monkeypatch.setattr(ctypes, "CDLL", lambda _: SimpleNamespace(mallopt=mallopt))
    knobs = Knobs(replace(RECIPE, retain_host_memory=True), torch.device("cpu"))
    set_switches(knobs)
    assert knobs.active("retain_host_memory")
