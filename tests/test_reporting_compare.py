import pytest

from records import ACCELERATOR, EPOCHS, STATISTICS, Run, side, tables
from reporting.compare import speedup_row
from reporting.pairs import find_pairs
from reporting.statistics import StatisticsSettings
from reporting.tables import PARITY_COLUMNS, RUN_COLUMNS, SPEEDUP_COLUMNS, read_table


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
    assert speedup["learning"][0] == "accuracy: not run"


def test_an_estimated_side_has_the_ends_of_its_prediction_and_no_interval_between_processes(tmp_path):
    estimated = [Run(repeat=r, seconds=100 + r, mode="estimated", epochs_done=1) for r in range(1, 6)]
    measured = [Run(repeat=r, seconds=10, device="cuda", gpus=1) for r in range(1, 6)]
    row = compared(tmp_path, [*estimated, *measured])[0].iloc[0]
    assert row["speedup"] == pytest.approx(10.3, abs=0.01)
    assert row[["speedup_low", "speedup_high"]].isna().all()
    assert row["speedup_bound_low"] == pytest.approx(0.8 * row["speedup"])  # the projections reach from 0.8 to 1.3
    assert row["speedup_bound_high"] == pytest.approx(1.3 * row["speedup"])
    assert row["note"] == "cpu estimated: projected_train_s with its 95 % prediction interval"


def test_two_estimated_sides_widen_the_bounds(tmp_path):
    row = compared(
        tmp_path,
        [Run(seconds=100, mode="estimated"), Run(seconds=10, mode="estimated", device="cuda", gpus=1)],
    )[0].iloc[0]
    assert (row["speedup_bound_low"], row["speedup_bound_high"]) == pytest.approx((80 / 13, 130 / 8))


def test_a_measured_pair_has_no_bounds(tmp_path):
    row = compared(tmp_path, pair([100, 101], [10, 10]))[0].iloc[0]
    assert row[["speedup_bound_low", "speedup_bound_high"]].isna().all()
    assert row["learning"] == "ok"


@pytest.mark.parametrize(
    ("cpu", "gpu", "expected"),
    [
        ([0.7] * 5, [0.7] * 5, "ok"),
        ([0.7] * 5, [0.7] * 4 + [0.149], "cuda at chance: a test accuracy below 0.15"),
        ([0.1] * 5, [0.1] * 5, "cpu and cuda at chance: a test accuracy below 0.15"),
        ([0.7] * 5, [0.8] * 5, "the test accuracies of the devices differ"),
        ([0.7], [0.8], "ok"),  # too few to call them different
    ],
)
def test_a_speedup_says_whether_both_sides_learned(tmp_path, cpu, gpu, expected):
    runs = [Run(repeat=r, accuracy=a) for r, a in enumerate(cpu, 1)]
    runs += [Run(repeat=r, accuracy=a, device="cuda", gpus=1) for r, a in enumerate(gpu, 1)]
    speedup, parity = compared(tmp_path, runs)
    assert set(speedup["learning"]) == {expected}
    if "chance" in expected:
        assert (parity["verdict"][0], parity["reason"][0]) == ("inconclusive", f"{expected}.")


def test_a_measured_run_without_accuracy_was_not_checked(tmp_path):
    runs = [*pair([100, 100], [10, 10]), Run(repeat=3, seconds=100, changes={"test_accuracy": None})]
    speedup, parity = compared(tmp_path, runs)
    assert speedup["learning"][0] == "accuracy: not run"
    assert (parity["n_cpu"][0], parity["n_gpu"][0]) == (2, 2)  # accuracies, not runs


@pytest.mark.parametrize(
    ("field", "value", "word"),
    [
        ("machine.host", "node2", r"host (node2, node1)"),
        ("software.torch", "2.11.0", "torch version (2.11.0, 2.14.1)"),
        ("software.python", "3.12", "Python version (3.12, 3.10)"),
        ("software.torchvision", "0.9", "torchvision version (0.9, 1.0)"),
        ("software.cuda", "12.1", "CUDA version (12.1, 1.0)"),
        ("software.cudnn", "9", "cuDNN version (9, 1.0)"),
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
    assert parity["verdict"][0] == "refused"


@pytest.mark.parametrize(
    ("field", "value", "word"),
    [
        ("machine.cpu_name", "AMD EPYC", "processor of the machine"),
        ("software.numpy", "2.0", "numpy version (2.0, 1.0)"),
        ("parameters", 12_345, "parameters (12345, 11689512)"),
        ("training_flop_per_sample", 1e8, "training_flop_per_sample (100000000, 200000000)"),
        ("images_total", 10_000, "images_total (10000, 500000)"),
        ("settings.recipe.optimizer", "sgd", "optimizer (sgd, adam)"),
        ("settings.recipe.learning_rate", 0.1, "learning_rate (0.1, 0.001)"),
        ("settings.recipe.lr_step_size", 3, "lr_step_size (3, 5)"),
        ("settings.recipe.lr_gamma", 0.5, "lr_gamma (0.5, 0.1)"),
        ("settings.recipe.crop_padding", 0, "crop_padding (0, 4)"),
        ("settings.recipe.horizontal_flip", False, "horizontal_flip (False, True)"),
        ("settings.recipe.loader_workers", 4, "loader_workers (4, 0)"),
        ("machine.physical_cores", 1, "physical_cores (1, 2) of cpu"),
        ("threads_effective", 1, "threads_effective (1, 2) of cpu"),
        ("numerics.matmul_tf32", True, "matmul_tf32 (True, False) of cpu"),
        ("numerics.convolution_tf32", True, "convolution_tf32 (True, False) of cpu"),
    ],
)
def test_one_unlike_run_on_a_side_refuses_the_pair(tmp_path, field, value, word):
    alike = {"numerics.matmul_tf32": False, "numerics.convolution_tf32": False}
    runs = [*pair([100, 100], [10], changes=alike), Run(repeat=3, changes={**alike, field: value})]
    note = compared(tmp_path, sorted(runs, key=lambda run: -run.repeat))[0]["note"][0]
    assert note.startswith("refused: the runs differ in ")
    assert word in note


def test_two_kinds_of_gpu_or_driver_on_a_side_are_refused(tmp_path):
    old = ACCELERATOR | {"name": "NVIDIA A100", "uuid": "GPU-2", "driver": "550"}
    new = ACCELERATOR | {"name": "NVIDIA H200", "uuid": "GPU-1", "driver": "580"}
    gpus = [
        Run(device="cuda", gpus=1, repeat=i, changes={"machine.accelerator": gpu})
        for i, gpu in enumerate((old, new), 1)
    ]
    note = compared(tmp_path, [Run(), *gpus])[0]["note"][0]
    assert note == ("refused: the runs differ in GPU driver (550, 580); device (NVIDIA A100, NVIDIA H200) of cuda")


def test_sides_may_differ_in_threads(tmp_path):
    assert compared(tmp_path, pair([100], [10], changes={"threads_effective": 1}))[0]["speedup"][0] == pytest.approx(10)


def test_several_gpus_of_one_name_are_noted(tmp_path):
    gpus = [ACCELERATOR | {"uuid": f"GPU-{i}", "driver": "580"} for i in (1, 2)]
    runs = [Run(device="cuda", gpus=1, repeat=i, changes={"machine.accelerator": gpu}) for i, gpu in enumerate(gpus, 1)]
    speedup, _ = compared(tmp_path, [Run(), Run(repeat=2), *runs])
    assert speedup["note"][0] == "cuda on 2 GPUs of one name"


def test_two_hosts_of_one_slurm_allocation_are_compared_and_noted(tmp_path):
    job = {"machine.slurm_job_id": "7"}
    gpu = Run(device="cuda", gpus=1, seconds=10, changes=job)
    speedup, _ = compared(tmp_path, [Run(changes={**job, "machine.host": "node2"}), gpu])
    assert speedup["speedup"][0] == pytest.approx(10)
    assert "hosts of one Slurm allocation: node2, node1" in speedup["note"][0]


@pytest.mark.parametrize("other", [None, "8"])
def test_two_hosts_of_other_allocations_are_refused(tmp_path, other):
    cpu = Run(changes={"machine.slurm_job_id": "7", "machine.host": "node2"})
    gpu = Run(device="cuda", gpus=1, changes={"machine.slurm_job_id": other})
    assert "differ in host (node2, node1)" in compared(tmp_path, [cpu, gpu])[0]["note"][0]


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
    assert speedup["note"][0] == speedup["failures"][0] == "cpu without 1 missing"


@pytest.mark.parametrize(
    ("run", "sentence"),
    [
        (Run(), "There is no GPU run in this study: add a device with gpus: 1 to study.devices and run again"),
        (
            Run(device="cuda", gpus=1),
            "There is no CPU run in this study: add a device with gpus: 0 to study.devices and run again",
        ),
    ],
)
def test_a_study_of_one_side_says_which_is_absent(tmp_path, run, sentence):
    speedup, parity = compared(tmp_path, [run])
    assert speedup["note"].tolist() == [sentence] * 2
    assert parity["note"].tolist() == [sentence]
    assert speedup["speedup"].isna().all()


def test_a_side_with_too_many_disturbed_windows_is_noted_and_counted(tmp_path):
    runs = [Run(disturbed_epochs=3), Run(repeat=2, disturbed_epochs=2), Run(device="cuda", gpus=1)]
    speedup, _ = compared(tmp_path, runs)  # 3 and 2 of 10 windows; more than 0.2 are too many
    assert speedup["note"][0] == "cpu disturbed: 1 of 2 runs; no interval: n = 1"
    assert speedup["speedup"][0] == pytest.approx(1)


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
    assert row["equivalence_low"] == pytest.approx(-row["equivalence_high"])
    assert 0 < row["equivalence_high"] < row["difference_high"]  # of 90 % and of 95 %
    assert row["reason"] == "The 90% interval lies within 1 point around zero."


def test_parity_is_gpu_minus_cpu(tmp_path):
    worse = side("cuda", 1, 0.1, ("resnet18",), accuracy=0.606)
    row = compared(tmp_path, [*side("cpu", 0, 1, ("resnet18",)), *worse])[1].iloc[0]
    assert row["difference"] == pytest.approx(-0.1)
    assert row["verdict"] == "different"


def test_parity_of_few_processes_says_what_a_claim_needs(tmp_path):
    row = compared(tmp_path, pair([100, 100], [10, 10]))[1].iloc[0]
    assert row["verdict"] == "inconclusive"
    assert row["reason"] == "n = 2: a claim needs 5 processes on each side."


def with_quiet(folder, quiet_s, **more):
    """The row of train_s of five runs a side, with these seconds of an epoch at the pace of quiet windows."""
    runs = read_table(tables(folder, pair([100] * 5, [10] * 5, **more)) / "runs.csv", RUN_COLUMNS)
    runs["epoch_train_s_quiet"] = runs["device"].map(quiet_s)
    settings = StatisticsSettings(**STATISTICS)
    (found,) = find_pairs(runs)
    train, total = (speedup_row(found, clock, settings) for clock in ("train_s", "total_s"))
    assert "speedup_quiet" not in total
    return train


def test_the_speed_up_without_the_disturbed_windows_stands_beside_the_one_with_them(tmp_path):
    row = with_quiet(tmp_path, {"cpu": 8.0, "cuda": 1.0})
    assert (row["speedup"], row["speedup_quiet"]) == (pytest.approx(10), pytest.approx(8))
    assert row["speedup_quiet_low"] == row["speedup_quiet_high"] == pytest.approx(8)


def test_without_a_disturbed_window_both_are_the_same(tmp_path):
    rows = compared(tmp_path, pair([100, 110], [10, 12]))[0]
    columns = ["speedup", "speedup_low", "speedup_high"]
    assert rows["speedup_quiet"].isna().tolist() == [False, True]
    quiet = [name.replace("speedup", "speedup_quiet") for name in columns]
    assert rows.loc[0, quiet].tolist() == pytest.approx(rows.loc[0, columns].tolist())


@pytest.mark.parametrize("more", [{}, {"mode": "estimated", "epochs_done": 1}])
def test_a_run_without_a_quiet_window_or_without_its_end_leaves_it_empty(tmp_path, more):
    row = with_quiet(tmp_path, {"cpu": 8.0 if more else None, "cuda": 1.0}, **more)
    assert row["speedup"] == pytest.approx(10)
    assert row.get("speedup_quiet") is None
