from types import SimpleNamespace

import psutil
import pytest

from measuring import cores, processor
from measuring.processor import cpu_frequency_mhz, cpu_temperature_c


@pytest.fixture
def machine(monkeypatch, tmp_path):
    monkeypatch.setattr(cores, "CPUS", tmp_path)
    monkeypatch.setattr(cores, "affinity", lambda: {0, 1})
    monkeypatch.setattr(processor, "CPUINFO", tmp_path / "cpuinfo")
    return tmp_path


def test_the_frequency_is_the_mean_of_the_own_cpus(machine):
    for cpu, kilohertz in enumerate((2_000_000, 3_000_000, 9_000_000)):
        (machine / f"cpu{cpu}" / "cpufreq").mkdir(parents=True)
        (machine / f"cpu{cpu}" / "cpufreq" / "scaling_cur_freq").write_text(str(kilohertz))
    assert cpu_frequency_mhz() == 2500


def test_without_it_the_list_of_processors_tells_or_nothing(machine):
    assert cpu_frequency_mhz() is None
    (machine / "cpuinfo").write_text("processor : 0\ncpu MHz\t\t: 2600.5\n")
    assert cpu_frequency_mhz() == 2600.5


def test_the_temperature_is_the_highest_of_the_processor(monkeypatch):
    sensors = {"coretemp": [SimpleNamespace(current=50.0), SimpleNamespace(current=61.0)]}
    sensors["nvme"] = [SimpleNamespace(current=80.0)]
    monkeypatch.setattr(psutil, "sensors_temperatures", lambda: sensors, raising=False)
    assert cpu_temperature_c() == 61
    monkeypatch.setattr(psutil, "sensors_temperatures", dict, raising=False)
    assert cpu_temperature_c() is None


def test_a_system_without_sensors_is_none(monkeypatch):
    monkeypatch.delattr(psutil, "sensors_temperatures", raising=False)
    assert cpu_temperature_c() is None
