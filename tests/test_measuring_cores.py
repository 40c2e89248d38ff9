import os

import pytest
import torch

from measuring import cgroups, cores
from measuring.machine import describe_machine
from measuring.refusal import RefusedError
from measuring.threads import set_threads
from planning.probe import scarce_threads


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


def written(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def limit_v2(group, cpus):
    written(group / "cpu.max", "max 100000" if cpus is None else f"{int(cpus * 100_000)} 100000")


def limit_v1(group, cpus):
    written(group / "cpu.cfs_quota_us", "-1" if cpus is None else str(int(cpus * 50_000)))
    written(group / "cpu.cfs_period_us", "50000")


def test_hyperthreads_share_a_core(machine):
    assert (cores.available_cpus(), cores.physical_cores()) == (8, 4)


def test_affinity_limits_both(machine, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 4})
    assert (cores.available_cpus(), cores.physical_cores()) == (3, 2)


@pytest.mark.parametrize(("quota", "expected"), [("max 100000", 8), ("250000 100000", 2), ("50000 100000", 1)])
def test_a_quota_of_cgroup_v2_limits_both(machine, quota, expected):
    written(machine / "cpu.max", quota)
    assert cores.available_cpus() == expected
    assert cores.physical_cores() == min(4, expected)


def test_a_quota_of_cgroup_v1_counts_too(machine):
    written(machine / "own", "4:cpu,cpuacct:/job\n3:memory:/elsewhere\n")
    limit_v1(machine / "cpu/job", 3)
    assert cores.available_cpus() == 3


GROUPS = ["", "slice", "slice/service", "slice/service/job"]  # from the root to the group of the process


@pytest.mark.parametrize("tightest", GROUPS)
@pytest.mark.parametrize(
    ("limit", "root", "own"),
    [
        (limit_v2, "", "0::/slice/service/job\n"),
        (limit_v1, "cpu", "9:memory:/elsewhere\n2:cpu,cpuacct:/slice/service/job\n0::/\n"),
    ],
    ids=["version 2", "version 1"],
)
def test_the_tightest_of_a_group_and_all_above_it_counts(machine, limit, root, own, tightest):
    written(machine / "own", own)
    for group in [*GROUPS, "elsewhere", "slice/service/job/below"]:
        limit(machine / root / group, {tightest: 1}.get(group, 6 if group in GROUPS else 0.5))
    assert (cores.available_cpus(), cores.wanted_threads("auto")) == (1, 1)
    limit(machine / root / tightest, None)
    assert cores.available_cpus() == 6


@pytest.mark.parametrize(("limit", "group"), [(limit_v2, "."), (limit_v1, "cpu")], ids=["version 2", "version 1"])
def test_a_container_that_sees_its_group_as_the_root_counts_the_quota_there(machine, limit, group):
    written(machine / "own", "2:cpu,cpuacct:/docker/0123\n0::/docker/0123\n")
    limit(machine / group, 2)
    assert cores.available_cpus() == 2


def test_threads_record_and_plan_follow_one_cpu_by_quota(machine, monkeypatch):
    asked = []
    monkeypatch.setattr(torch, "set_num_threads", asked.append)
    written(machine / "own", "0::/slice/job\n")
    written(machine / "slice" / "job" / "cpu.max", "max 100000")
    limit_v2(machine / "slice", 1)
    assert set_threads("auto", granted=1).threads_granted == 1
    assert asked == [1]
    with pytest.raises(RefusedError, match="threads: 2 was asked for, but this process may use 1 CPUs only"):
        set_threads(2, granted=2)
    described = describe_machine(torch.device("cpu"))
    assert (described["available_cpus"], described["physical_cores"], described["affinity_cpus"]) == (1, 1, 8)
    (line,) = scarce_threads({"cpu": {"threads": 2}}, ["cpu"], cores=8)
    assert "this process may use 1 CPUs only" in line


def test_what_slurm_grants_to_a_task_counts(machine, monkeypatch):
    monkeypatch.setenv("SLURM_CPUS_PER_TASK", "3")
    assert cores.available_cpus() == 3


def test_auto_means_the_physical_cores(machine):
    assert cores.wanted_threads("auto") == 4
    assert cores.wanted_threads(7) == 7
