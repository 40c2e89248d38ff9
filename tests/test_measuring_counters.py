import multiprocessing
import os
import time

import pytest

from measuring import cgroups, counters
from measuring.counters import Counters, read_counters
from measuring.surroundings import between, other_processes
from measuring.usage import Usage, read_usage

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


def test_a_system_without_these_files_gives_none(machine):
    (machine / "stat").unlink()
    reading = read_counters()
    assert reading.busy_cpu_s is reading.steal_cpu_s is reading.all_cpu_s is None
    assert reading.throttled_s is reading.pressure_s is None


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


def reading(clock_s, cpu_s, switches, busy, steal=0.0, everything=0.0, throttled=None):
    return Counters(
        clock_s=clock_s,
        own=Usage(cpu_s=cpu_s, involuntary_switches=switches),
        busy_cpu_s=busy,
        steal_cpu_s=steal,
        all_cpu_s=everything,
        throttled_s=throttled,
        pressure_s=None,
    )


def test_two_readings_give_shares_and_seconds():
    before = reading(100.0, 10.0, 5, 50.0, steal=1.0, everything=400.0, throttled=1.0)
    after = reading(110.0, 25.0, 12, 73.0, steal=2.0, everything=440.0, throttled=1.5)
    assert between(before, after, threads=2) == {
        "involuntary_switches": 7,
        "cpu_share": 0.75,  # 15 CPU seconds of 2 threads times 10 s
        "steal_share": 0.025,  # 1 of 40 CPU seconds
        "throttled_s": 0.5,
        "pressure_s": None,
        "other_cpu_s": 8.0,  # 23 busy, 15 of them ours
    }


def test_what_ticks_fail_to_see_is_not_a_negative_time():
    assert between(reading(0, 0, 0, 0.0), reading(1, 1.0, 0, 0.98), threads=1)["other_cpu_s"] == 0


def test_what_was_not_read_stays_unknown():
    result = between(reading(0, 0, 0, None, None, None), reading(1, 1, 0, None, None, None), threads=1)
    assert result["other_cpu_s"] is result["steal_share"] is result["throttled_s"] is None


def test_work_of_this_process_shows_in_its_usage():
    before = read_usage()
    while read_usage().cpu_s < before.cpu_s + 0.05:
        sum(range(1000))


def busy(seconds, running, done):
    while time.process_time() < seconds:
        sum(range(1000))
    running.set()
    done.wait()


def test_loader_processes_count_while_they_run_and_after_they_ended():
    fork = multiprocessing.get_context("fork")
    running, done, before = fork.Event(), fork.Event(), read_usage()
    child = fork.Process(target=busy, args=(0.2, running, done))
    child.start()
    running.wait()
    during = read_usage()
    done.set()
    child.join()
    assert during.cpu_s - before.cpu_s > 0.15
    assert read_usage().cpu_s - before.cpu_s > 0.15


@pytest.mark.parametrize(("processes", "others"), [(None, None), ([], None), ([4242], 0), ([17, 4242], 1)])
def test_this_process_is_one_of_those_on_the_gpu_under_whatever_number(processes, others):
    assert other_processes(processes) == others
