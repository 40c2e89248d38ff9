import pytest
import torch

from measuring import accelerator as module
from measuring.accelerator import FIELDS, describe_accelerator, nvml_device


def test_only_a_cuda_device_has_the_drivers_view():
    assert nvml_device(torch.device("cpu")) is None


def test_an_accelerator_that_is_not_nvidias_has_a_name_and_nothing_else(monkeypatch):
    monkeypatch.setattr(module, "accelerator_name", lambda device: "Some XPU")
    found = describe_accelerator(torch.device("xpu"))
    assert found == dict.fromkeys(FIELDS) | {"name": "Some XPU"}


@pytest.mark.gpu
def test_an_nvidia_gpu_is_described_by_torch_and_by_its_driver(accelerator):
    if accelerator.type != "cuda":
        pytest.skip(f"the accelerator is of type {accelerator.type}")
    found = describe_accelerator(accelerator)
    assert set(found) == set(FIELDS)
    assert found["memory_bytes"] > 10**9 and found["uuid"]
    assert nvml_device(accelerator) is None or found["driver"]
