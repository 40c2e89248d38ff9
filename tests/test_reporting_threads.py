import json

import pytest

from configs import merged
from planning.check import check_config
from records import STATISTICS, Run, tables
from reporting.statistics import StatisticsSettings
from reporting.tables import RUN_COLUMNS, SPEEDUP_COLUMNS, THREADS_COLUMNS, read_table
from reporting.threads import find_choices, thread_rows

SETTINGS = StatisticsSettings.from_json(json.dumps(STATISTICS))


def cpu(device, requested, times, **more):
    changes = {"threads_requested": requested, "threads_effective": 8 if requested == "auto" else requested}
    changes |= {"threads_granted": changes["threads_effective"]}
    return [Run(device=device, repeat=r, seconds=s, changes=changes, **more) for r, s in enumerate(times, start=1)]


def gpu(times):
    return [Run(device="cuda", gpus=1, repeat=r, seconds=s) for r, s in enumerate(times, start=1)]


def row_of(folder, runs):
    (row,) = thread_rows(read_table(tables(folder, runs) / "runs.csv", RUN_COLUMNS), SETTINGS)
    return {name: row.get(name) for name in THREADS_COLUMNS}


def test_the_best_thread_count_and_the_default_stand_in_one_row_with_ratio_and_interval(tmp_path):
    runs = [*cpu("cpu_4", 4, [50, 50]), *cpu("cpu", "auto", [100, 102]), *cpu("cpu_16", 16, [200, 200])]
    row = row_of(tmp_path, runs)
    assert (row["default_device"], row["default_threads"], row["n_default"]) == ("cpu", "8", 2)
    assert (row["best_device"], row["best_threads"], row["devices"]) == ("cpu_4", "4", 3)
    assert row["ratio"] == pytest.approx((100 * 102) ** 0.5 / 50)
    assert row["ratio_low"] < row["ratio"] < row["ratio_high"]
    assert "favours the best" in row["note"]


def test_one_process_a_device_gives_a_ratio_without_interval(tmp_path):
    row = row_of(tmp_path, [*cpu("cpu", "auto", [100]), *cpu("cpu_4", 4, [50])])
    assert (row["ratio"], row["ratio_low"], row["ratio_high"]) == (pytest.approx(2), None, None)


def test_an_estimated_device_gives_a_ratio_without_interval(tmp_path):
    runs = [*cpu("cpu", "auto", [100, 100]), *cpu("cpu_4", 4, [50, 50], mode="estimated")]
    row = row_of(tmp_path, runs)
    assert (row["ratio"], row["ratio_low"]) == (pytest.approx(2), None)
    assert "cpu_4 estimated" in row["note"]


def test_disturbed_runs_are_counted_in_the_note(tmp_path):
    quiet, disturbed = cpu("cpu", "auto", [100, 100]), cpu("cpu_4", 4, [50, 50], disturbed_epochs=3)
    assert "cpu_4 disturbed: 2 of 2 runs" in row_of(tmp_path / "a", [*quiet, *disturbed])["note"]
    slower = cpu("cpu_4", 4, [200, 200], disturbed_epochs=3)
    note = row_of(tmp_path / "b", [*quiet, *slower])["note"]
    assert note == "the default was the fastest; cpu_4 disturbed: 2 of 2 runs"


def test_a_default_that_is_the_best_needs_no_ratio(tmp_path):
    row = row_of(tmp_path, [*cpu("cpu", "auto", [50]), *cpu("cpu_4", 4, [100])])
    assert (row["best_device"], row["ratio"], row["note"]) == ("cpu", None, "the default was the fastest")


def test_one_cpu_device_is_no_comparison(tmp_path):
    row = row_of(tmp_path, cpu("cpu", "auto", [50]))
    assert (row["default_device"], row["best_device"], row["best_s"]) == ("cpu", None, None)
    assert row["note"].startswith("one CPU device only")


def test_refused_thread_counts_are_never_the_best(tmp_path):
    refused = cpu("cpu_4", 4, [1], status="refused")
    row = row_of(tmp_path, [*cpu("cpu", "auto", [100]), *refused])
    assert (row["best_device"], row["ratio"], row["note"]) == (None, None, "cpu_4: 1 refused")


def test_runs_of_different_software_are_not_compared(tmp_path):
    other = [Run(device="cpu_4", seconds=10, changes={"threads_requested": 4, "software.torch": "2.11.0"})]
    row = row_of(tmp_path, [*cpu("cpu", "auto", [100]), *other])
    assert (row["devices"], row["best_device"], row["ratio"]) == (1, None, None)
    assert row["note"].startswith("cpu_4: refused: the runs differ in torch version")


def test_a_speed_up_says_whether_it_is_against_the_default_or_the_best_cpu(tmp_path):
    runs = [*cpu("cpu", "auto", [100]), *cpu("cpu_4", 4, [50]), *cpu("cpu_16", 16, [200]), *gpu([10])]
    rows = read_table(tables(tmp_path, runs) / "speedup.csv", SPEEDUP_COLUMNS)
    rows = rows[rows["clock"] == "train_s"]
    found = rows[["cpu_device", "cpu_threads", "cpu_role", "speedup"]].fillna("").to_numpy().tolist()
    assert found == [
        ["cpu", "8", "default", pytest.approx(10)],
        ["cpu_4", "4", "best", pytest.approx(5)],
        ["cpu_16", "16", "", pytest.approx(20)],
    ]


def test_one_cpu_alone_is_the_default_and_not_the_best_of_anything(tmp_path):
    runs = read_table(tables(tmp_path, [*cpu("cpu", "auto", [100]), *gpu([10])]) / "runs.csv", RUN_COLUMNS)
    assert find_choices(runs)["paper", "resnet18"].role("cpu") == "default"


def test_the_overlay_of_thread_counts_is_a_valid_study():
    config = merged("cpu_threads.yaml")
    check_config(config)
    budgets = {config["devices"][name]["budget_s"] for name in config["study"]["devices"]}
    assert budgets == {config["devices"]["cpu"]["budget_s"]}


def test_a_device_with_as_many_threads_as_the_default_is_no_other_choice(tmp_path):
    runs = [*cpu("cpu", "auto", [100]), *cpu("cpu_8", 8, [90]), *cpu("cpu_4", 4, [120])]
    row = row_of(tmp_path, runs)
    assert (row["devices"], row["best_device"], row["ratio"]) == (2, "cpu", None)
    assert row["note"] == "the default was the fastest; cpu_8 has the 8 threads of cpu: not compared"


def test_the_best_is_another_number_of_threads_though_a_twin_of_the_default_is_faster(tmp_path):
    row = row_of(tmp_path, [*cpu("cpu", "auto", [100]), *cpu("cpu_8", 8, [40]), *cpu("cpu_4", 4, [50])])
    assert (row["best_device"], row["ratio"]) == ("cpu_4", pytest.approx(2))
    assert "cpu_8 has the 8 threads of cpu" in row["note"]


def test_twins_of_the_default_alone_leave_nothing_to_compare(tmp_path):
    row = row_of(tmp_path, [*cpu("cpu", "auto", [100]), *cpu("cpu_8", 8, [90])])
    assert (row["devices"], row["best_device"]) == (1, None)
    assert row["note"] == "cpu_8 has the 8 threads of cpu: not compared"


def test_a_twin_of_the_default_is_not_the_best_of_a_speed_up(tmp_path):
    runs = [*cpu("cpu", "auto", [100]), *cpu("cpu_8", 8, [40]), *cpu("cpu_4", 4, [50]), *gpu([10])]
    rows = read_table(tables(tmp_path, runs) / "speedup.csv", SPEEDUP_COLUMNS)
    roles = rows[rows["clock"] == "train_s"].set_index("cpu_device")["cpu_role"].fillna("")
    assert roles.to_dict() == {"cpu": "default", "cpu_8": "", "cpu_4": "best"}


def test_devices_whose_knobs_do_not_work_alike_are_not_compared(tmp_path):
    active = {"compile": {"active": False, "reason": "no compiler"}}
    other = [
        Run(device="cpu_4", seconds=10, changes={"threads_requested": 4, "threads_effective": 4, "active": active})
    ]
    row = row_of(tmp_path, [*cpu("cpu", "auto", [100]), *other])
    assert (row["devices"], row["best_device"], row["ratio"]) == (1, None, None)
    assert row["note"] == "cpu_4: refused: the runs differ in knobs that do not work (none, compile)"


def test_without_a_time_of_the_default_a_device_with_as_many_threads_stands_in(tmp_path):
    mixed = [Run(device="cpu", changes={"threads_effective": 8}), Run(device="cpu", repeat=2, mode="estimated")]
    mixed[1].changes["threads_effective"] = 8
    row = row_of(tmp_path, [*mixed, *cpu("cpu_8", 8, [40]), *cpu("cpu_4", 4, [50])])
    assert (row["best_device"], row["devices"]) == ("cpu_8", 2)


def test_a_device_whose_runs_are_unlike_the_defaults_is_the_best_of_nothing(tmp_path):
    other = [Run(device="cpu_4", seconds=10, changes={"threads_effective": 4, "software.torch": "2.11.0"})]
    runs = [*cpu("cpu", "auto", [100]), *other, *cpu("cpu_16", 16, [50]), *gpu([10])]
    row = row_of(tmp_path, runs)
    assert (row["devices"], row["best_device"], row["ratio"]) == (2, "cpu_16", pytest.approx(2))
    assert "cpu_4: refused: the runs differ in torch version (2.14.1, 2.11.0)" in row["note"]
    rows = read_table(tmp_path / "tables" / "speedup.csv", SPEEDUP_COLUMNS)
    roles = rows[rows["clock"] == "train_s"].set_index("cpu_device")["cpu_role"].fillna("")
    assert roles.to_dict() == {"cpu": "default", "cpu_4": "", "cpu_16": "best"}


def test_the_default_is_not_the_best_of_devices_that_are_not_compared_with_it(tmp_path):
    slower = [Run(device="cpu_4", seconds=200, changes={"threads_effective": 4, "machine.host": "node2"})]
    row = row_of(tmp_path, [*cpu("cpu", "auto", [100]), *slower])
    assert (row["best_device"], row["note"]) == (None, "cpu_4: refused: the runs differ in host (node1, node2)")


def test_measured_and_estimated_repeats_of_the_default_have_no_time_together(tmp_path):
    mixed = [*cpu("cpu", "auto", [100, 100]), Run(device="cpu", repeat=3, seconds=300, mode="estimated")]
    row = row_of(tmp_path, [*mixed, *cpu("cpu_4", 4, [50])])
    assert (row["default_mode"], row["n_default"], row["default_s"]) == ("mixed", 3, None)
    assert row["note"] == "cpu has measured and estimated runs"


@pytest.mark.parametrize("more", [[], [Run(device="cpu_4", status="missing")]])
def test_disturbed_runs_are_counted_where_nothing_is_compared_too(tmp_path, more):
    note = row_of(tmp_path, [*cpu("cpu", "auto", [100, 100], disturbed_epochs=3), *more])["note"]
    assert "cpu disturbed: 2 of 2 runs" in note


def verdict_of(folder, runs):
    row = row_of(folder, runs)
    return row["verdict"], row["reason"]


@pytest.mark.parametrize(("default", "other", "best"), [(50, 60, "cpu"), (60, 50, "cpu_4")])
def test_the_fastest_is_called_the_best_where_the_interval_of_every_other_device_lies_above_1(
    tmp_path, default, other, best
):
    spread = [0.99, 1, 1, 1, 1.01]
    times = {"cpu": ("auto", default), "cpu_4": (4, other), "cpu_16": (16, 200)}
    runs = [run for name, (asked, s) in times.items() for run in cpu(name, asked, [s * factor for factor in spread])]
    row = row_of(tmp_path, runs)
    rival = "cpu_4" if best == "cpu" else "cpu"
    assert (row["best_device"], row["verdict"]) == (best, "best")
    assert row["reason"] == (
        f"Every other device takes longer: the nearest is {rival} with 1.2 (1.19 to 1.21) times the time of {best}."
    )


def test_the_device_whose_interval_reaches_lowest_decides_and_not_the_next_one(tmp_path):
    steady, wide = [100.0, 100, 100, 100, 101], [80.0, 100, 110, 170, 240]
    runs = [*cpu("cpu", "auto", steady), *cpu("cpu_4", 4, [104, 104, 104, 104, 105]), *cpu("cpu_16", 16, wide)]
    verdict, reason = verdict_of(tmp_path, runs)
    assert verdict == "inconclusive"
    assert reason == "Not shown to take longer: cpu_16 with 1.29 (0.745 to 2.23) times the time of cpu."


def test_fewer_than_five_processes_call_nothing_the_best(tmp_path):
    runs = [*cpu("cpu", "auto", [50] * 5), *cpu("cpu_4", 4, [100] * 4)]
    assert verdict_of(tmp_path, runs) == ("inconclusive", "n = 4: a claim needs 5 processes on each side.")


def test_runs_that_failed_or_were_estimated_or_learned_nothing_call_nothing_the_best(tmp_path):
    fast, slow = cpu("cpu", "auto", [50] * 5), cpu("cpu_4", 4, [100] * 5)
    failed = [*slow, Run(device="cpu_4", repeat=6, status="diverged")]
    verdict, reason = verdict_of(tmp_path / "failed", [*fast, *failed])
    assert (verdict, "cpu_4 without 1 diverged" in reason) == ("inconclusive", True)
    verdict, reason = verdict_of(tmp_path / "estimated", [*fast, *cpu("cpu_4", 4, [100] * 5, mode="estimated")])
    assert (verdict, "cpu_4 estimated" in reason) == ("inconclusive", True)
    verdict, reason = verdict_of(tmp_path / "chance", [*fast, *cpu("cpu_4", 4, [100] * 5, accuracy=0.1)])
    assert (verdict, "cpu_4 at chance" in reason) == ("inconclusive", True)


def test_where_nothing_is_compared_there_is_no_verdict(tmp_path):
    assert verdict_of(tmp_path, cpu("cpu", "auto", [50] * 5)) == (None, None)


def test_the_ratio_of_estimated_devices_has_the_bounds_of_their_projections(tmp_path):
    runs = [*cpu("cpu", "auto", [100, 100], mode="estimated"), *cpu("cpu_4", 4, [50, 50], mode="estimated")]
    row = row_of(tmp_path, runs)
    assert row["ratio_bound_low"] == pytest.approx(100 * 0.8 / (50 * 1.3))
    assert row["ratio_bound_high"] == pytest.approx(100 * 1.3 / (50 * 0.8))
    assert "cpu and cpu_4 estimated: bounds of the projections, no interval" in row["note"]


def test_one_measured_process_a_device_is_said_to_have_no_interval(tmp_path):
    assert "no interval: n = 1" in row_of(tmp_path, [*cpu("cpu", "auto", [100]), *cpu("cpu_4", 4, [50])])["note"]
