import re

import pytest

from breakdowns import PARTS_MS, Pass, breakdown_record, breakdown_table, five
from reporting.tables import BREAKDOWN_COLUMNS, PARTS, read_table


def collected(folder, passes):
    return read_table(breakdown_table(folder, passes), BREAKDOWN_COLUMNS)


def test_a_row_holds_the_mean_of_each_part_and_its_share_of_the_step(tmp_path):
    row = collected(tmp_path, [Pass()]).iloc[0]
    assert [row[f"{part}_s"] for part in PARTS] == pytest.approx([0.010, 0.020, 0.030, 0.025, 0.010, 0.005])
    assert [row[f"{part}_share"] for part in PARTS] == pytest.approx([0.10, 0.20, 0.30, 0.25, 0.10, 0.05])
    assert row["synchronised_step_s"] == pytest.approx(0.100)
    assert (row["n"], row["steps"]) == (1, 2)


def test_the_undisturbed_step_of_a_gpu_stands_beside_its_synchronised_parts(tmp_path):
    row = collected(tmp_path, [Pass(pace_ms=80)]).iloc[0]
    assert row["step_s"] == pytest.approx(0.080)
    assert "device synchronised after each" in row["note"]


def test_on_a_cpu_the_step_is_the_sum_of_its_parts_and_has_no_kernels(tmp_path):
    row = collected(tmp_path, [Pass(device="cpu", gpus=0)]).iloc[0]
    assert row["step_s"] == row["synchronised_step_s"] == pytest.approx(0.100)
    assert row[["kernels", "launch_floor_s", "compute_to_copy"]].isna().all()
    assert "no kernels that the profiler counts" in row["note"]


def test_the_launch_floor_is_kernels_times_the_cost_of_a_launch(tmp_path):
    row = collected(tmp_path, [Pass()]).iloc[0]
    assert row["launch_floor_s"] == pytest.approx(50 * 4e-6)
    assert row["kernel_s"] == 0.0005


def test_processes_are_joined_total_over_total(tmp_path):
    slow = {part: 3 * ms for part, ms in PARTS_MS.items()}
    row = collected(tmp_path, [Pass(), Pass(repeat=2, parts_ms=slow, steps=6)]).iloc[0]
    assert row["synchronised_step_s"] == pytest.approx((2 * 0.100 + 6 * 0.300) / 8)
    assert (row["n"], row["steps"]) == (2, 8)


def test_an_interval_needs_two_processes(tmp_path):
    one = collected(tmp_path / "one", [Pass()]).iloc[0]
    assert one["compute_to_copy"] == pytest.approx((30 + 25 + 10) / 20)
    assert one[["copy_share_low", "compute_to_copy_low"]].isna().all()
    row = collected(tmp_path / "two", [Pass(), Pass(repeat=2, parts_ms=PARTS_MS | {"copy": 22.0})]).iloc[0]
    assert row["copy_share_low"] < row["copy_share"] < row["copy_share_high"]


def test_what_did_not_end_well_is_named_and_what_was_never_made_is_missing(tmp_path):
    passes = [
        Pass(),
        Pass(repeat=2, status="oom"),
        Pass(repeat=3, status="missing"),
        Pass(device="b", status="missing"),
    ]
    frame = collected(tmp_path, passes)
    assert list(frame["status"]) == ["ok, oom, missing", "missing"]
    assert list(frame["n"]) == [1, 0]
    assert frame["failed_repeats"][0] == "2"
    assert frame["status_reason"][0] == "no memory was left"
    assert frame["note"][0].endswith("not counted: 1 oom, 1 missing")
    assert frame["step_s"].isna().tolist() == [False, True]


def test_a_step_that_was_not_taken_apart_has_a_length_kernels_and_no_parts(tmp_path):
    reason = "not taken apart: the whole step is one graph"
    row = collected(tmp_path, [Pass(pace_ms=80, changes={"samples": [], "parts_reason": reason})]).iloc[0]
    assert (row["step_s"], row["steps"], row["kernels"]) == (pytest.approx(0.080), 2, 50)
    assert row[["data_wait_s", "forward_share", "synchronised_step_s", "compute_to_copy"]].isna().all()
    assert row["note"] == reason


def test_a_study_without_any_plan_is_a_header(tmp_path):
    assert collected(tmp_path, []).empty


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"repeat": 7}, "says that it is breakdown paper/simple_cnn/cuda/0123456789/7"),
        ({"samples": []}, "holds 0 samples, expected 2"),
        ({"kernels": 0}, "kernels is 0, expected exclusiveMinimum 0"),
        ({"machine.host": None}, r"machine\.host is null, expected type"),
        ({"extra": 1}, "'extra' was unexpected"),
    ],
)
def test_a_damaged_record_is_refused_with_one_sentence_and_the_others_count(tmp_path, changes, sentence):
    row = collected(tmp_path, [Pass(changes=changes), Pass(repeat=2)]).iloc[0]
    assert (row["status"], row["failed_repeats"], row["n"]) == ("damaged, ok", "1", 1)
    assert re.search(sentence, row["status_reason"])
    assert "not counted: 1 damaged" in row["note"]


def test_parts_that_do_not_add_up_to_their_step_are_refused(tmp_path):
    sample = {f"{part}_s": 0.01 for part in PARTS} | {"images": 128, "step_s": 0.07, "device_s": None}
    row = collected(tmp_path, [Pass(changes={"samples": [sample] * 2})]).iloc[0]
    assert (row["status"], row["n"]) == ("damaged", 0)
    assert "the parts of sample 1 add up to 0.06 s, not to its step" in row["status_reason"]


def test_five_equal_processes_have_an_interval_of_no_width(tmp_path):
    row = collected(tmp_path, five()).iloc[0]
    assert row["copy_share_low"] == pytest.approx(0.20) == row["copy_share_high"]


def test_processes_that_other_work_disturbed_are_counted_with_the_reason(tmp_path):
    passes = [Pass(), Pass(repeat=2, other_cpu_s=8.04)]  # 8 of 16 CPU seconds
    row = collected(tmp_path, passes).iloc[0]
    assert (row["disturbed_passes"], row["disturbed_reason"]) == (1, "other_cpu_share 0.5 > 0.05")


def test_where_nothing_can_be_read_nobody_knows_of_a_disturbance(tmp_path):
    blind = {f"surroundings.{name}": None for name in ("steal_share", "other_cpu_s", "involuntary_switches")}
    row = collected(tmp_path, [Pass(device="cpu", gpus=0, changes=blind)]).iloc[0]
    assert row[["disturbed_passes", "disturbed_reason"]].isna().all()


DEVICE_PARTS = ("data_wait", "copy", "forward", "backward", "optimizer")


def test_the_parts_by_the_events_of_the_device_stand_beside_those_of_the_host(tmp_path):
    sample = breakdown_record(Pass())["samples"][0]
    device_s = {"data_wait": 0.009, "copy": 0.018, "backward": 0.02, "optimizer": 0.005}
    samples = [sample | {"device_s": device_s | {"forward": forward_s}} for forward_s in (0.010, 0.030)]
    row = collected(tmp_path, [Pass(changes={"samples": samples})]).iloc[0]
    found = [row[f"{part}_device_s"] for part in DEVICE_PARTS]
    assert found == pytest.approx([0.009, 0.018, 0.020, 0.02, 0.005])


def test_a_cpu_has_no_events_and_a_step_in_one_piece_has_no_parts(tmp_path):
    whole = {"samples": [], "parts_reason": "not taken apart: the whole step is one graph"}
    rows = collected(tmp_path, [Pass(device="cpu", gpus=0), Pass(changes=whole)])
    assert rows[[f"{part}_device_s" for part in DEVICE_PARTS]].isna().all(axis=None)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"machine.host": "node2"}, "host (node1, node2)"),
        ({"software.torch": "2.11.0"}, "torch version (2.14.1, 2.11.0)"),
        ({"software.pillow": "11.0.0"}, "Pillow version (12.3.0, 11.0.0)"),
        ({"threads_effective": 1}, "threads_effective (2, 1)"),
        ({"code_sha256": "c" * 64}, "measuring code (aaaaaaaaaa..., cccccccccc...)"),
        ({"active": {"graph": {"active": False, "reason": "failed"}}}, "knobs that do not work (none, graph)"),
    ],
)
def test_unlike_processes_are_not_joined(tmp_path, changes, words):
    row = collected(tmp_path, [Pass(), Pass(repeat=2, changes=changes)]).iloc[0]
    assert (row["n"], row["note"]) == (2, f"refused: the processes differ in {words}")
    assert row[["step_s", "copy_share", "compute_to_copy", "kernels"]].isna().all()
