import pytest

from measuring.counters import Counters
from measuring.surroundings import between, other_processes
from measuring.usage import Usage


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


def test_a_count_that_misses_our_own_work_tells_nothing_of_others():
    assert between(reading(0, 0, 0, 0.0), reading(1, 1.0, 0, 0.0), threads=1)["other_cpu_s"] is None


def test_what_was_not_read_stays_unknown():
    result = between(reading(0, 0, 0, None, None, None), reading(1, 1, 0, None, None, None), threads=1)
    assert result["other_cpu_s"] is result["steal_share"] is result["throttled_s"] is None


@pytest.mark.parametrize(("processes", "others"), [(None, None), ([], None), ([4242], 0), ([17, 4242], 1)])
def test_this_process_is_one_of_those_on_the_gpu_under_whatever_number(processes, others):
    assert other_processes(processes) == others
