import ctypes

import pytest

from measuring import nvml
from measuring.nvml import NvmlDevice, find_device
from measuring.observer import Observer
from measuring.surroundings import other_processes

SLICE = "MIG-1234"


class FakeLibrary:
    """A driver that knows one MIG slice and a few of its readings; the others it does not support."""

    def __init__(self, **readings):
        self.readings = readings

    def __getattr__(self, name):
        if name not in self.readings:
            raise AttributeError(name)
        return lambda handle, *arguments: self._answer(arguments[-1], self.readings[name])

    @staticmethod
    def _answer(pointer, value):
        if value is None:
            return 3  # NVML_ERROR_NOT_SUPPORTED
        pointer._obj.value = value
        return 0

    @staticmethod
    def nvmlDeviceGetHandleByUUID(name, handle):  # noqa: N802
        handle._obj.value = 7
        return 0 if name == SLICE.encode() else 6  # NVML_ERROR_NOT_FOUND

    @staticmethod
    def nvmlSystemGetDriverVersion(text, size):  # noqa: N802
        text.value = b"580.1"
        return 0


def device(**readings):
    return NvmlDevice(FakeLibrary(**readings), ctypes.c_void_p(7))


def test_readings_have_their_units():
    gpu = device(nvmlDeviceGetEnforcedPowerLimit=700_000, nvmlDeviceGetTotalEnergyConsumption=2**40)
    assert (gpu.power_limit_w(), gpu.energy_mj(), gpu.driver()) == (700, 2**40, "580.1")


def test_what_the_gpu_does_not_support_or_the_driver_does_not_know_is_none():
    gpu = device(nvmlDeviceGetTemperature=None)
    assert gpu.temperature_c() is gpu.sm_clock_mhz() is gpu.compute_processes() is gpu.mig_mode() is None
    assert gpu.throttle_reasons() is gpu.power_limit_w() is None


@pytest.mark.parametrize(
    ("bits", "text"), [(0, "none"), (0x4, "sw_power_cap"), (0x48, "hw_slowdown+hw_thermal_slowdown")]
)
def test_throttle_reasons_are_named(bits, text):
    assert device(nvmlDeviceGetCurrentClocksEventReasons=bits).throttle_reasons() == text
    assert device(nvmlDeviceGetCurrentClocksThrottleReasons=bits).throttle_reasons() == text  # drivers before 535


def device_with_violations(*answers):
    """A GPU whose driver answers with return code and nanoseconds, and only for the thermal policy."""
    gpu, left = device(), list(answers)

    def status(handle, policy, pointer):
        assert policy == 1
        code, pointer._obj.violation_ns = left.pop(0)
        return code

    gpu._library.nvmlDeviceGetViolationStatus = status
    return gpu


def test_thermal_violations_are_in_seconds_or_none():
    gpu = device_with_violations((0, 2_500_000_000), (3, 7))
    assert (gpu.thermal_violation_s(), gpu.thermal_violation_s()) == (2.5, None)
    assert device().thermal_violation_s() is None  # a driver that does not know the function


def test_a_window_has_the_thermal_violations_that_came_within_it():
    gpu = device_with_violations((0, 10**9), (0, 2 * 10**9), (0, 5 * 10**9), (3, 0), (0, 0))
    observer = Observer(device_type="cuda", threads=1, gpu=gpu)  # reads once
    observer.open()
    assert observer.close().surroundings.gpu_thermal_s == 3
    observer.open()
    assert observer.close().surroundings.gpu_thermal_s is None


def test_a_device_is_found_by_its_uuid_whole_or_sliced():
    assert find_device("1234", FakeLibrary()) is not None
    assert find_device("5678", FakeLibrary()) is None


def test_a_machine_without_the_library_has_no_device(monkeypatch, tmp_path):
    monkeypatch.setattr(nvml, "LIBRARY", "libabsent.so.1")
    monkeypatch.setattr(nvml, "MAPS", tmp_path / "absent")
    assert find_device("1234") is None


def test_the_library_is_sought_beside_the_driver_that_is_loaded(monkeypatch, tmp_path):
    (tmp_path / "maps").write_text("7f00-7f01 r-xp 00000000 08:01 42    /opt/driver/libcuda.so.580.1\n7f02 rw-p 0\n")
    monkeypatch.setattr(nvml, "MAPS", tmp_path / "maps")
    assert nvml._beside_the_driver() == ["/opt/driver/libnvidia-ml.so.1"]


@pytest.mark.gpu
def test_the_driver_tells_clock_temperature_and_processes_of_the_gpu_in_use(accelerator):
    from measuring.accelerator import nvml_device

    if accelerator.type != "cuda":
        pytest.skip("this accelerator is not NVIDIA's")
    gpu = nvml_device(accelerator)
    assert gpu is not None
    assert gpu.sm_clock_mhz() > 0 and 0 < gpu.temperature_c() < 120
    assert gpu.throttle_reasons() is not None and gpu.power_limit_w() > 0
    assert gpu.thermal_violation_s() is None or gpu.thermal_violation_s() >= 0
    assert gpu.driver().count(".") >= 1
    assert other_processes(gpu.compute_processes()) in (None, *range(100))


@pytest.mark.gpu
def test_the_energy_counter_of_a_whole_gpu_moves(accelerator):
    import torch

    from measuring.accelerator import nvml_device

    gpu = nvml_device(accelerator)
    if gpu is None or gpu.energy_mj() is None:
        pytest.skip("this GPU has no energy counter")
    before, values = gpu.energy_mj(), torch.randn(4096, 4096, device=accelerator)
    for _ in range(2000):
        values @ values
    torch.accelerator.synchronize()
    assert gpu.energy_mj() > before
