import platform
import subprocess
import sys

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from configs import ROOT
from measuring import ceilings
from measuring.ceilings import measure_ceilings
from measuring.numerics import Numerics


def test_flops_and_bytes_follow_from_the_times(monkeypatch):
    monkeypatch.setattr(ceilings, "_timed_s", lambda work, device, calls: 2.0)
    plain = Numerics(precision="default", matmul_tf32=None, convolution_tf32=None)
    result = measure_ceilings(torch.device("cpu"), plain)
    assert result.ceiling_flop_per_s == 2 * 2048**3 / 2.0
    assert result.ceiling_bytes_per_s == 2 * 4 * 2**25 / 2.0
    assert result.ceiling_precision == "fp32"


@pytest.mark.parametrize(("product_s", "convolution_s"), [(2.0, 1.0), (1.0, 2.0)])
def test_a_cpus_ceiling_is_the_faster_of_its_two_libraries(monkeypatch, product_s, convolution_s):
    monkeypatch.setattr(ceilings, "_product_s", lambda device, side, precision: product_s)
    monkeypatch.setattr(ceilings, "_convolution_s", lambda side, precision: convolution_s)
    monkeypatch.setattr(ceilings, "_copy_s", lambda device, floats: 1.0)
    plain = Numerics(precision="default", matmul_tf32=None, convolution_tf32=None)
    assert measure_ceilings(torch.device("cpu"), plain).ceiling_flop_per_s == 2 * 2048**3


def test_product_and_convolution_are_the_same_amount_of_arithmetic(monkeypatch):
    def flop_of(work, device):
        with FlopCounterMode(display=False) as counter:
            work()
        return counter.get_total_flops()

    monkeypatch.setattr(ceilings, "_best_s", flop_of)
    cpu = torch.device("cpu")
    assert ceilings._product_s(cpu, 2048, "fp32") == ceilings._convolution_s(2048, "fp32") == 2 * 2048**3


FAULTS = """
import resource
from measuring import ceilings
def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
def faults_of(work, device, calls):
    before = faults()
    work()
    return faults() - before
ceilings._timed_s = faults_of
print(ceilings._convolution_s(2048, "fp32"))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="needs glibc")
def test_a_cpus_ceiling_holds_no_memory_fetched_from_the_system():
    environment = {"PYTHONPATH": f"{ROOT}/workflow/scripts"}
    command = [sys.executable, "-c", FAULTS]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert int(done.stdout) < 1000  # its result has 64 MiB, 16384 pages


@pytest.mark.gpu
def test_tf32_raises_the_ceiling_of_a_gpu_that_has_it(accelerator):
    def ceiling(tf32):
        return measure_ceilings(accelerator, Numerics(precision="default", matmul_tf32=False, convolution_tf32=tf32))

    if accelerator.type != "cuda" or torch.cuda.get_device_capability(accelerator) < (8, 0):
        pytest.skip("this accelerator has no TF32")
    assert ceiling(True).ceiling_flop_per_s > 2 * ceiling(False).ceiling_flop_per_s
