import os

import pytest

from measuring import cgroups, cores


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """Eight logical CPUs, two to a core, no quota."""
    for cpu in range(8):
        topology = tmp_path / f"cpu{cpu}" / "topology"
        topology.mkdir(parents=True)
        (topology / "thread_siblings_list").write_text(f"{cpu % 4},{cpu % 4 + 4}\n")
    monkeypatch.setattr(cores, "CPUS", tmp_path)
    monkeypatch.setattr(cgroups, "CGROUPS", tmp_path)
    monkeypatch.setattr(cgroups, "OWN_CGROUP", tmp_path / "own")
    monkeypatch.delenv("SLURM_CPUS_PER_TASK", raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)))
    return tmp_path


def test_hyperthreads_share_a_core(machine):
    assert (cores.available_cpus(), cores.physical_cores()) == (8, 4)


def test_affinity_limits_both(machine, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 4})
    assert (cores.available_cpus(), cores.physical_cores()) == (3, 2)


@pytest.mark.parametrize(("quota", "expected"), [("max 100000", 8), ("250000 100000", 2), ("50000 100000", 1)])
def test_a_quota_of_cgroup_v2_limits_both(machine, quota, expected):
    (machine / "cpu.max").write_text(quota)
    assert cores.available_cpus() == expected
    assert cores.physical_cores() == min(4, expected)


def test_a_quota_of_cgroup_v1_counts_too(machine):
    (machine / "cpu" / "job").mkdir(parents=True)
    (machine / "own").write_text("4:cpu,cpuacct:/job\n3:memory:/elsewhere\n")
    (machine / "cpu" / "job" / "cpu.cfs_quota_us").write_text("300000")
    (machine / "cpu" / "job" / "cpu.cfs_period_us").write_text("100000")
    assert cores.available_cpus() == 3


def test_the_tightest_group_above_a_process_counts(machine):
    (machine / "slice" / "scope").mkdir(parents=True)
    (machine / "own").write_text("0::/slice/scope\n")
    (machine / "slice" / "scope" / "cpu.max").write_text("600000 100000")
    (machine / "slice" / "cpu.max").write_text("200000 100000")
    assert cores.available_cpus() == 2


def test_what_slurm_grants_to_a_task_counts(machine, monkeypatch):
    monkeypatch.setenv("SLURM_CPUS_PER_TASK", "3")
    assert cores.available_cpus() == 3


def test_auto_means_the_physical_cores(machine):
    assert cores.wanted_threads("auto") == 4
    assert cores.wanted_threads(7) == 7
