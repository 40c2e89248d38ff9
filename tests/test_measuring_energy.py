import pytest

from measuring import rapl
from measuring.energy import Meter, cpu_meter, gpu_meter, total_j
from measuring.rapl import find_packages


@pytest.fixture
def powercap(monkeypatch, tmp_path):
    """Two packages with a part each, and the platform that holds both."""
    monkeypatch.setattr(rapl, "POWERCAP", tmp_path)
    names = {"intel-rapl:0": "package-0", "intel-rapl:0:0": "core", "intel-rapl:1": "package-1", "intel-rapl:2": "psys"}
    for zone, name in names.items():
        (tmp_path / zone).mkdir()
        (tmp_path / zone / "name").write_text(name)
        (tmp_path / zone / "energy_uj").write_text("5000000")
        (tmp_path / zone / "max_energy_range_uj").write_text("262143328850")
    return tmp_path


def test_packages_count_once_without_their_parts_and_the_platform(powercap):
    assert [package.counter.parent.name for package in find_packages()] == ["intel-rapl:0", "intel-rapl:1"]
    assert cpu_meter().read_j() == [5, 5]


def test_a_counter_that_started_again_is_carried_on():
    meter = Meter(read_j=list, range_j=(100.0, 100.0))
    assert meter.used_j([90.0, 10.0], [5.0, 30.0], seconds=0.1) == 35  # 15 around the end, and 20


def test_a_window_in_which_a_counter_may_start_again_twice_gives_nothing():
    meter = Meter(read_j=list, range_j=(6000.0,))
    assert meter.used_j([0.0], [10.0], seconds=9) == 10
    assert meter.used_j([0.0], [10.0], seconds=11) is None  # 600 W for 11 s are more than 6000 J


def test_a_machine_without_counters_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(rapl, "POWERCAP", tmp_path)
    meter = cpu_meter()
    assert meter.used_j(meter.read_j(), meter.read_j(), seconds=10) is None
    assert total_j(meter, [None], [10]) == (
        None,
        "not measured: the system shows no RAPL counters in /sys/class/powercap",
    )


def test_counters_for_root_only_say_so(powercap):
    (powercap / "intel-rapl:1" / "energy_uj").unlink()
    assert cpu_meter().absent == "not measured: the RAPL counters may be read by root only"


def test_a_cpu_run_has_no_gpu_energy():
    assert gpu_meter(None, "cpu").absent == "not measured: the run uses no GPU"
    assert "NVML" in gpu_meter(None, "mps").absent


class Gpu:
    def __init__(self, *millijoules):
        self._values = list(millijoules)

    def energy_mj(self):
        return self._values.pop(0)


def test_the_gpu_counter_is_in_millijoules():
    meter = gpu_meter(Gpu(0, 1000, 8000), "cuda")
    assert meter.used_j(meter.read_j(), meter.read_j(), seconds=1) == 7


def test_a_slice_without_a_counter_says_so():
    assert "no energy counter" in gpu_meter(Gpu(None), "cuda").absent


METER = Meter(read_j=list, range_j=(float("inf"),), update_s=0.1)
UNREAD = "not measured: a counter could not be read, or a window was longer than it counts"


@pytest.mark.parametrize(
    ("joules", "seconds", "expected"),
    [
        ([3.0, 4.0], [9.0, 1.0], (7, None)),  # the last window is short where a budget ends the run
        ([3.0, None], [5.0, 5.0], (None, UNREAD)),
        ([0.0, 0.0], [5.0, 5.0], (None, "not measured: the counter did not move")),
    ],
)
def test_joules_or_the_reason_never_zero(joules, seconds, expected):
    assert total_j(METER, joules, seconds) == expected


def test_many_short_windows_are_not_one_long_one():
    too_short = "not measured: a window lasts 0.57 s in the mean, less than the 5 s needed"
    assert total_j(METER, [30.0] * 10, [0.57] * 10) == (None, too_short)


def test_a_counter_that_moves_more_often_needs_shorter_windows(powercap):
    assert total_j(cpu_meter(), [30.0] * 10, [0.57] * 10) == (300, None)
    assert "less than the 0.05 s needed" in total_j(cpu_meter(), [30.0], [0.04])[1]
