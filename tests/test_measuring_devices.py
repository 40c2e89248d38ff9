import pytest
import torch

from lineage.job import UserError
from measuring import devices
from measuring.devices import open_device, run_kernel, synchronise

CPU = torch.device("cpu")


def test_a_cpu_opens_and_has_nothing_to_wait_for(monkeypatch):
    monkeypatch.setattr(torch.accelerator, "synchronize", lambda device: pytest.fail("waited for a CPU"))
    assert open_device("cpu") == CPU
    synchronise(CPU)


def test_an_accelerator_is_waited_for(monkeypatch):
    waited = []
    monkeypatch.setattr(torch.accelerator, "synchronize", waited.append)
    synchronise(torch.device("cuda"))
    assert waited == [torch.device("cuda")]


def test_a_device_that_runs_no_kernel_is_refused_and_not_replaced(monkeypatch):
    monkeypatch.setattr(devices, "run_kernel", lambda device: "no kernel image")
    with pytest.raises(UserError, match=r"'cuda' was asked for, but no kernel runs on it here \(no kernel image\)"):
        open_device("cuda")


def test_a_kernel_with_a_wrong_result_is_an_error(monkeypatch):
    monkeypatch.setattr(torch, "ones", lambda count, device: torch.zeros(count))
    assert run_kernel(CPU) == "1024 ones added up to 0.0"


def test_the_reason_is_the_first_sentence_of_the_first_line(monkeypatch):
    def broken(count, device):
        raise RuntimeError("CUDA error: no kernel image. Compile with more\nstack")

    monkeypatch.setattr(torch, "ones", broken)
    assert run_kernel(CPU) == "CUDA error: no kernel image"
