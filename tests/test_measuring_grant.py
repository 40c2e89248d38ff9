import os

import pytest

from measuring import cores, grant


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """Four CPUs on two memory nodes, in a system that tells nothing else yet."""
    cpus = tmp_path / "system" / "cpu"
    for cpu in range(4):
        (cpus / f"cpu{cpu}" / f"node{cpu // 2}").mkdir(parents=True)
    monkeypatch.setattr(cores, "CPUS", cpus)
    monkeypatch.setattr(grant, "DEVICES", tmp_path)
    monkeypatch.setattr(cores, "affinity", lambda: {0, 1, 2, 3})
    return tmp_path


def written(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_memory_nodes_are_those_of_the_own_cpus(machine, monkeypatch):
    assert grant.numa_nodes() == 2
    monkeypatch.setattr(cores, "affinity", lambda: {0, 1})
    assert grant.numa_nodes() == 1


def test_what_the_system_does_not_tell_is_none(machine):
    described = grant.describe_grant()
    assert described.pop("affinity_cpus") == 4
    assert described.pop("numa_nodes") == 2
    assert set(described.values()) == {None}


def test_hybrid_processors_have_two_types_of_cores(machine):
    written(machine / "cpu_core" / "cpus", "0-2")
    written(machine / "cpu_atom" / "cpus", "3-7")
    assert grant.core_types() == {"performance": 3, "efficiency": 1}


def test_cores_of_different_capacity_are_counted(machine):
    for cpu, capacity in enumerate((1024, 1024, 400, 400)):
        written(cores.CPUS / f"cpu{cpu}" / "cpu_capacity", str(capacity))
    assert grant.core_types() == {"capacity_1024": 2, "capacity_400": 2}


def test_equal_cores_are_uniform(machine):
    (machine / "cpu").mkdir()
    assert grant.core_types() == {"uniform": 4}


def test_governor_turbo_and_smt_are_read(machine):
    written(cores.CPUS / "cpu0" / "cpufreq" / "scaling_governor", "powersave\n")
    written(cores.CPUS / "cpu1" / "cpufreq" / "scaling_governor", "performance\n")
    written(cores.CPUS / "intel_pstate" / "no_turbo", "1")
    written(cores.CPUS / "smt" / "active", "1")
    described = grant.describe_grant()
    assert (described["governor"], described["turbo"], described["smt"]) == ("performance+powersave", False, True)


def test_boost_of_other_drivers_is_read(machine):
    written(cores.CPUS / "cpufreq" / "boost", "1")
    assert grant.turbo() is True


def test_a_system_without_load_average_is_none(monkeypatch):
    def absent():
        raise OSError

    monkeypatch.setattr(os, "getloadavg", absent)
    assert grant.load_average() is None
