import os

import pytest

from measuring import cgroups, cores, counters
from measuring.counters import read_counters

#                user nice system idle iowait irq softirq steal guest guest_nice, in ticks of 10 ms
STAT = """cpu  900 0 0 0 0 0 0 0 0 0
cpu0 100 10 20 800 5 3 2 60 50 0
cpu1 200 0 0 800 0 0 0 0 0 0
cpu2 600 0 0 0 0 0 0 0 0 0
intr 5
"""


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """Three CPUs, of which this process may use the first two; neither control groups nor pressure."""
    (tmp_path / "stat").write_text(STAT)
    monkeypatch.setattr(counters, "STAT", tmp_path / "stat")
    monkeypatch.setattr(counters, "PRESSURE", tmp_path / "pressure")
    monkeypatch.setattr(cgroups, "CGROUPS", tmp_path / "cgroups")
    monkeypatch.setattr(cgroups, "OWN_CGROUP", tmp_path / "own")
    monkeypatch.setattr(counters, "affinity", lambda: {0, 1})
    monkeypatch.setattr(cores, "CPUS", tmp_path / "cpus")
    monkeypatch.setattr(os, "sysconf", lambda name: 100)
    return tmp_path


def group(machine, path):
    folder = machine / "cgroups" / path
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def test_only_the_cpus_that_this_process_may_use_are_counted_and_guests_once(machine):
    reading = read_counters()
    assert reading.busy_cpu_s == pytest.approx(3.35)  # 100 + 10 + 20 + 3 + 2 and 200 ticks
    assert reading.steal_cpu_s == pytest.approx(0.6)
    assert reading.all_cpu_s == pytest.approx(20.0)


def test_the_other_thread_of_a_core_counts_as_busy_and_for_nothing_else(machine):
    topology = machine / "cpus" / "cpu1" / "topology"
    topology.mkdir(parents=True)
    (topology / "thread_siblings_list").write_text("1-2\n")
    reading = read_counters()
    assert reading.busy_cpu_s == pytest.approx(3.35 + 6.0)  # CPU 2 is not in the affinity
    assert (reading.steal_cpu_s, reading.all_cpu_s) == pytest.approx((0.6, 20.0))


def test_a_system_without_these_files_gives_none(machine):
    (machine / "stat").unlink()
    reading = read_counters()
    assert reading.busy_cpu_s is reading.steal_cpu_s is reading.all_cpu_s is None
    assert reading.throttled_s is reading.pressure_s is None


def test_a_system_that_does_not_show_all_of_our_cpus_gives_none(machine):
    """A container may number the CPUs that it shows from 0 on, whichever ones it runs on."""
    (machine / "stat").write_text(STAT.replace("cpu0", "cpu3"))
    reading = read_counters()
    assert reading.busy_cpu_s is reading.steal_cpu_s is reading.all_cpu_s is None


def test_throttling_of_version_2_counts_in_the_own_group_and_above_it(machine):
    (machine / "own").write_text("0::/slice/job\n")
    (group(machine, "slice/job") / "cpu.stat").write_text("usage_usec 7\nthrottled_usec 500000\n")
    (group(machine, "slice") / "cpu.stat").write_text("throttled_usec 250000\n")
    (group(machine, "elsewhere") / "cpu.stat").write_text("throttled_usec 9000000\n")
    assert counters.throttled_s() == 0.75


def test_throttling_of_version_1_is_in_nanoseconds(machine):
    (machine / "own").write_text("1:cpu,cpuacct:/job\n")
    (group(machine, "cpu/job") / "cpu.stat").write_text("nr_periods 3\nthrottled_time 2000000000\n")
    assert counters.throttled_s() == 2


def test_the_pressure_of_the_own_group_goes_before_that_of_the_machine(machine):
    (machine / "pressure").write_text("some avg10=1.00 avg60=0.00 avg300=0.00 total=3000000\nfull avg10=0 total=0\n")
    assert counters.pressure_s() == 3
    (machine / "own").write_text("0::/job\n")
    (group(machine, "job") / "cpu.pressure").write_text("some avg10=1.00 avg60=0.00 avg300=0.00 total=1500000\n")
    assert counters.pressure_s() == 1.5
