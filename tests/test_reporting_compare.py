import pytest

from records import EPOCHS, Run, side, tables
from reporting.tables import PARITY_COLUMNS, SPEEDUP_COLUMNS, read_table


def compared(folder, runs):
    out = tables(folder, runs)
    return read_table(out / "speedup.csv", SPEEDUP_COLUMNS), read_table(out / "parity.csv", PARITY_COLUMNS)


def pair(cpu, gpu, **more):
    runs = [Run(repeat=i, seconds=s, **more) for i, s in enumerate(cpu, 1)]
    return [*runs, *(Run(repeat=i, seconds=s, device="cuda", gpus=1) for i, s in enumerate(gpu, 1))]


def test_a_pair_has_a_row_for_each_clock(tmp_path):
    speedup, _ = compared(tmp_path, pair([100, 100, 100], [10, 10, 10]))
    assert list(speedup["clock"]) == ["train_s", "total_s"]
    assert speedup["speedup"].tolist() == pytest.approx([10, 5.5])  # total_s adds 10 s to each: 110 / 20
    assert speedup["speedup_low"].tolist() == pytest.approx([10, 5.5])


def test_times_are_geometric_means(tmp_path):
    row = compared(tmp_path, pair([1, 100], [5, 5]))[0].iloc[0]
    assert (row["cpu_s"], row["gpu_s"], row["speedup"]) == pytest.approx((10, 5, 2))


def test_one_process_on_a_side_has_no_interval_and_says_so(tmp_path):
    row = compared(tmp_path, pair([100], [10, 10]))[0].iloc[0]
    assert row["speedup"] == pytest.approx(10)
    assert row[["speedup_low", "speedup_high"]].isna().all()
    assert row["note"] == "no interval: n = 1"


def test_an_estimated_side_gives_a_marked_training_ratio_and_no_total(tmp_path):
    speedup, parity = compared(tmp_path, pair([1000], [10], mode="estimated", epochs_done=1))
    assert speedup["speedup"].tolist()[0] == pytest.approx(100)
    assert speedup["speedup"].isna().tolist() == [False, True]
    assert speedup["cpu_mode"].tolist() == ["estimated", "estimated"]
    assert "cpu estimated: projected_train_s" in speedup["note"][0]
    assert speedup["note"][1] == "cpu estimated: total_s not run"
    assert parity["verdict"][0] == "accuracy: not run"


@pytest.mark.parametrize(
    ("field", "value", "word"),
    [
        ("machine.host", "node2", r"host (node2, node1)"),
        ("software.torch", "2.11.0", "torch version (2.11.0, 2.14.1)"),
        ("dataset_sha256", "c" * 64, "dataset content (cccccccccc..., bbbbbbbbbb...)"),
        ("code_sha256", "c" * 64, "measuring code"),
        ("settings.recipe.batch_size", 64, "batch_size (64, 128)"),
        ("settings.recipe.epochs", EPOCHS + 1, "epochs (11, 10)"),
        ("numerics.precision", "ieee_fp32", "precision (ieee_fp32, default)"),
        ("protocol_version", 2, "protocol_version (2, 1)"),
    ],
)
def test_a_pair_that_differs_is_refused_by_name(tmp_path, field, value, word):
    speedup, parity = compared(tmp_path, pair([100], [10], changes={field: value}))
    assert speedup["speedup"].isna().all()
    assert speedup["note"][0].startswith("refused: the runs differ in ")
    assert word in speedup["note"][0]
    assert parity["note"][0] == speedup["note"][0]


def test_a_cpu_run_that_knows_no_cuda_version_is_compared(tmp_path):
    changes = {"software.cuda": None, "software.cudnn": None}
    assert compared(tmp_path, pair([100], [10], changes=changes))[0]["speedup"][0] == pytest.approx(10)


def test_measured_and_estimated_runs_on_one_side_are_refused(tmp_path):
    runs = [*pair([100], [10]), Run(repeat=2, mode="estimated", epochs_done=1)]
    assert compared(tmp_path, runs)[0]["note"][0] == "refused: cpu has measured and estimated runs"


def test_a_side_without_an_ok_run_names_the_status(tmp_path):
    diverged = Run(device="cuda", gpus=1, status="diverged", changes={"train_s": None})
    speedup, parity = compared(tmp_path, [Run(), diverged, Run(device="cuda", gpus=1, repeat=2, status="missing")])
    assert speedup["note"][0] == "no ok run on cuda (1 diverged, 1 missing)"
    assert parity["verdict"][0] == "accuracy: not run"


def test_failed_repeats_beside_good_ones_are_noted(tmp_path):
    runs = [*pair([100, 100], [10, 10]), Run(repeat=3, status="missing")]
    speedup, _ = compared(tmp_path, runs)
    assert speedup["n_cpu"][0] == 2
    assert speedup["note"][0] == "cpu without 1 missing"


def test_a_side_with_too_many_disturbed_windows_is_noted_and_counted(tmp_path):
    runs = [Run(disturbed_epochs=3), Run(repeat=2, disturbed_epochs=2), Run(device="cuda", gpus=1)]
    speedup, _ = compared(tmp_path, runs)  # 3 and 2 of 10 windows; more than 0.2 are too many
    assert speedup["note"][0] == "cpu disturbed: 1 of 2 runs; no interval: n = 1"
    assert speedup["speedup"][0] == pytest.approx(1)


def test_without_a_gpu_both_tables_have_their_header_only(tmp_path):
    speedup, parity = compared(tmp_path, [Run()])
    assert speedup.empty and parity.empty


def test_every_cpu_device_is_paired_with_every_gpu_device(tmp_path):
    devices = [("a", 0), ("b", 0), ("x", 1), ("y", 2)]
    _, parity = compared(tmp_path, [Run(device=name, gpus=gpus) for name, gpus in devices])
    assert list(zip(parity["cpu_device"], parity["gpu_device"], strict=True)) == [
        ("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"),
    ]  # fmt: skip


def test_parity_of_equal_accuracies_is_equal(tmp_path):
    row = compared(tmp_path, [*side("cpu", 0, 1, ("resnet18",)), *side("cuda", 1, 0.1, ("resnet18",))])[1].iloc[0]
    assert (row["cpu_test_accuracy"], row["difference"], row["verdict"]) == (pytest.approx(0.706), 0, "equal")
    assert row["difference_low"] == pytest.approx(-row["difference_high"])


def test_parity_is_gpu_minus_cpu(tmp_path):
    worse = side("cuda", 1, 0.1, ("resnet18",), accuracy=0.606)
    row = compared(tmp_path, [*side("cpu", 0, 1, ("resnet18",)), *worse])[1].iloc[0]
    assert row["difference"] == pytest.approx(-0.1)
    assert row["verdict"] == "different"


def test_parity_of_few_processes_says_what_a_claim_needs(tmp_path):
    row = compared(tmp_path, pair([100, 100], [10, 10]))[1].iloc[0]
    assert row["verdict"] == "inconclusive"
    assert row["note"] == "n = 2, a claim needs 5 on each side"
