import json

import pytest
from test_reporting_collect import collected

from records import COLUMNS, QUIET, Run
from reporting.quiet import Host, QuietSettings, disturbances, summary

SETTINGS = QuietSettings.from_json(json.dumps(QUIET))
HOST = Host(threads=2, affinity_cpus=4)
NOTHING = dict.fromkeys(COLUMNS) | {"train_s": 10.0}
QUIET_WINDOW = NOTHING | {"other_cpu_s": 0.4, "steal_share": 0.0, "throttled_s": 0.0}  # others: 1 % of 4 CPUs


def found(**changes):
    return disturbances(QUIET_WINDOW | changes, HOST, SETTINGS)


def test_one_percent_of_other_work_disturbs_nothing():
    assert found() == []


def test_another_process_on_every_cpu_is_a_disturbance():
    assert found(other_cpu_s=20.04) == ["other_cpu_share 0.5 > 0.05"]  # one tick a CPU is taken off


def test_a_tick_on_each_cpu_does_not_disturb_a_short_window():
    assert found(train_s=0.1, other_cpu_s=0.04) == []  # 0.04 of 0.4 CPU seconds are 10 %, but only rounding
    assert found(train_s=0.1, other_cpu_s=0.24) == ["other_cpu_share 0.5 > 0.05"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"steal_share": 0.051}, "steal_share 0.05 > 0.02"),
        ({"throttled_s": 2.0}, "throttled_share 0.1 > 0.01"),
        ({"gpu_other_processes": 1}, "gpu_other_processes 1"),
        ({"gpu_throttle_reasons": "sw_power_cap+hw_thermal_slowdown"}, "gpu hw_thermal_slowdown"),
    ],
)
def test_each_threshold_names_what_was_above_it(changes, reason):
    assert found(**changes) == [reason]


def test_the_own_power_limit_of_a_card_is_no_disturbance():
    assert found(gpu_throttle_reasons="gpu_idle+sw_power_cap", gpu_other_processes=0) == []


def test_pressure_and_switches_are_judged_once_they_have_a_threshold():
    strict = QuietSettings(**QUIET | {"max_pressure_share": 0.1, "max_switches_per_s": 50})
    window = QUIET_WINDOW | {"pressure_s": 2.0, "involuntary_switches": 2000}
    assert found(pressure_s=2.0, involuntary_switches=2000) == []
    assert disturbances(window, HOST, strict) == ["pressure_share 0.2 > 0.1", "switches_per_s 100 > 50"]


def test_a_window_of_which_nothing_was_read_is_not_called_quiet():
    assert disturbances(NOTHING, HOST, SETTINGS) is None
    assert summary([{"disturbed": None, "train_s": 1.0, "images": 5}], 5, SETTINGS) == {
        "windows": 1,
        "disturbed_windows": None,
        "disturbed_share": None,
        "disturbed": None,
        "epoch_train_s_quiet": None,
    }


def test_the_quiet_time_of_an_epoch_is_the_mean_of_the_undisturbed_ones():
    windows = [
        {"disturbed": disturbed, "train_s": seconds, "images": 100}
        for disturbed, seconds in ((True, 50.0), (False, 10.0), (False, 12.0), (False, 14.0))
    ]
    result = summary(windows, 100, SETTINGS)
    assert (result["windows"], result["disturbed_windows"], result["disturbed_share"]) == (4, 1, 0.25)
    assert result["disturbed"] is True  # above 0.2
    assert result["epoch_train_s_quiet"] == 12


def test_a_single_incomplete_window_gives_an_epoch_at_its_pace():
    assert summary([{"disturbed": False, "train_s": 3.0, "images": 30}], 100, SETTINGS)["epoch_train_s_quiet"] == 10


def test_runs_and_epochs_show_disturbed_windows_and_keep_them(tmp_path):
    runs, epochs = collected(tmp_path, [Run(disturbed_epochs=3), Run(repeat=2)])
    assert runs["windows"].tolist() == [10, 10]
    assert runs["disturbed_share"].tolist() == [0.3, 0]
    assert runs["disturbed"].tolist() == ["True", "False"]
    assert runs["epoch_train_s_quiet"].tolist() == runs["epoch_train_s"].tolist() == [10, 10]
    first = epochs[epochs["repeat"] == 1]
    assert first["disturbed"].tolist() == ["True"] * 3 + ["False"] * 7
    assert first["disturbed_reason"].iloc[0] == "other_cpu_share 0.499 > 0.05"
    assert first["train_s"].sum() == 100


def test_a_gpu_window_keeps_its_throttle_reasons(tmp_path):
    _, epochs = collected(tmp_path, [Run(device="cuda", gpus=1), Run()])
    assert epochs["gpu_throttle_reasons"].iloc[0] == "sw_power_cap"
    assert epochs["gpu_throttle_reasons"].iloc[-1:].isna().all()


def test_a_run_that_did_not_end_well_has_no_time(tmp_path):
    runs, _ = collected(tmp_path, [Run(status="diverged", changes={"train_s": None})])
    assert runs["epoch_train_s_quiet"].isna().all()
