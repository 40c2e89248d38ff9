import hashlib
import json
from pathlib import Path

import pytest
import yaml

from records import ACCELERATOR, COST, QUIET, SCHEMA, Run, write
from reporting.collect import collect, family
from reporting.tables import EPOCH_COLUMNS, RUN_COLUMNS, STARTUP_PARTS, read_table


def collected(folder, runs):
    return collect_files(folder, write(folder, runs))


def collect_files(folder, files):
    collect(
        records=files.records,
        epochs=files.epochs,
        planned=files.planned,
        schema=str(SCHEMA),
        quiet=json.dumps(QUIET),
        cost=json.dumps(COST),
        runs_output=str(folder / "runs.csv"),
        epochs_output=str(folder / "epochs.csv"),
    )
    return read_table(folder / "runs.csv", RUN_COLUMNS), read_table(folder / "epochs.csv", EPOCH_COLUMNS)


def test_every_planned_run_has_a_row_with_its_status(tmp_path):
    failed = Run(repeat=2, status="diverged", changes={"train_s": None})
    runs, _ = collected(tmp_path, [Run(repeat=1), failed, Run(repeat=3, status="missing")])
    assert list(runs["status"]) == ["ok", "diverged", "missing"]
    assert list(runs["repeat"]) == [1, 2, 3]
    assert runs["status_reason"].notna().tolist() == [False, True, True]


def test_a_study_without_any_record_is_all_missing(tmp_path):
    runs, epochs = collected(tmp_path, [Run(status="missing")])
    assert list(runs["status"]) == ["missing"]
    assert epochs.empty


def test_a_knob_that_does_not_work_is_named_with_its_reason(tmp_path):
    active = {"compile": {"active": True, "reason": None}, "graph": {"active": False, "reason": "cpu has none"}}
    runs, _ = collected(tmp_path, [Run(), Run(repeat=2, changes={"active": active})])
    assert runs["inactive"].isna().tolist() == [True, False]
    assert runs["inactive"][1] == "graph: cpu has none"


def test_rates_are_total_over_total(tmp_path):
    row = collected(tmp_path, [Run(seconds=250)])[0].iloc[0]
    assert row["images_per_s"] == 2000  # 500,000 images in 250 s
    assert row["achieved_flop_per_s"] == 4e11  # of 2e8 FLOP each
    assert row["ceiling_share"] == pytest.approx(0.1)  # of 4e12
    assert row["epoch_train_s"] == 25


def test_the_instruments_share_is_of_the_steps_that_ran(tmp_path):
    runs = collected(tmp_path, [Run(mode="estimated", seconds=100, changes={"instrument_s": 0.06})])[0]
    assert runs.loc[0, "instrument_share"] == pytest.approx(0.06 / 30)


def test_the_parts_of_the_start_up_have_columns_and_one_that_was_not_needed_is_empty(tmp_path):
    parts = {"imports": 4.0, "data_load": 1.0, "model_build": 0.5, "compile": 20.0, "capture": 0.25}
    runs, _ = collected(tmp_path, [Run(), Run(repeat=2, changes={"startup_parts_s": parts})])
    assert runs.loc[1, [f"{part}_s" for part in parts]].tolist() == list(parts.values())
    assert runs[[f"{part}_s" for part in STARTUP_PARTS]].isna().sum(axis=1).tolist() == [4, 1]


def test_every_part_of_the_start_up_that_a_record_may_have_has_a_column():
    schema = yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))
    assert tuple(schema["properties"]["startup_parts_s"]["properties"]) == STARTUP_PARTS


def test_an_estimated_run_has_projected_time_per_epoch_and_no_measured_time(tmp_path):
    row = collected(tmp_path, [Run(mode="estimated", seconds=1000, epochs_done=3)])[0].iloc[0]
    assert row["projected_train_s"] == 1000
    assert row["epoch_train_s"] == 100
    assert row[["train_s", "total_s"]].isna().all()
    assert row["images_per_s"] == 500  # what ran: 150,000 images in 300 s


def test_a_run_without_a_step_has_no_rate(tmp_path):
    changes = dict.fromkeys(("train_s", "elapsed_train_s", "training_flop_per_sample"))
    row = collected(tmp_path, [Run(status="oom", changes={**changes, "images_done": 0})])[0].iloc[0]
    assert row[["images_per_s", "achieved_flop_per_s", "ceiling_share"]].isna().all()


def test_texts_that_look_like_numbers_stay_texts(tmp_path):
    row = collected(tmp_path, [Run()])[0].iloc[0]
    assert (row["key"], row["python"], row["cudnn"]) == ("0123456789", "3.10", "1.0")


def test_counts_are_written_without_decimal_point(tmp_path):
    collected(tmp_path, [Run(), Run(repeat=2, status="missing")])
    line = (tmp_path / "runs.csv").read_text().splitlines()[1]
    assert ",11689512," in line and "11689512.0" not in line


def test_a_device_is_named_by_what_computed(tmp_path):
    runs, _ = collected(tmp_path, [Run(), Run(device="cuda", gpus=1)])
    assert list(runs["device_name"]) == ["Intel Xeon Platinum 8480C", "NVIDIA H200"]


def test_the_machine_and_the_recipe_have_columns(tmp_path):
    gpu = ACCELERATOR | {"uuid": "GPU-1", "driver": "580.10"}
    changes = {"machine.accelerator": gpu, "machine.slurm_job_id": "077"}
    row = collected(tmp_path, [Run(device="cuda", gpus=1, changes=changes)])[0].iloc[0]
    assert (row["cpu_name"], row["physical_cores"]) == ("Intel Xeon Platinum 8480C", 2)
    assert (row["gpu_uuid"], row["driver"], row["slurm_job_id"], row["numpy"]) == ("GPU-1", "580.10", "077", "1.0")
    assert (row["dataset_type"], row["optimizer"], row["learning_rate"]) == ("cifar10", "adam", 0.001)
    assert (row["lr_step_size"], row["lr_gamma"], row["crop_padding"]) == (5, 0.1, 4)
    assert (row["horizontal_flip"], row["loader_workers"]) == ("True", 0)


def test_epochs_keep_the_incomplete_last_one_of_an_estimated_run(tmp_path):
    _, epochs = collected(tmp_path, [Run(mode="estimated", epochs_done=3)])
    assert list(epochs["images"]) == [50_000, 50_000, 50_000, 1280]
    assert epochs["test_accuracy"].isna().tolist() == [False, False, False, True]


def test_a_record_that_names_another_run_than_its_path_is_damaged(tmp_path, capsys):
    row = collected(tmp_path, [Run(changes={"repeat": 7})])[0].iloc[0]
    assert (row["status"], row["repeat"]) == ("damaged", 1)
    assert (
        "1.json: says that it is run paper/resnet18/cpu/0123456789/7, expected the run of its" in row["status_reason"]
    )
    assert capsys.readouterr().err == f"{row['status_reason']}\n"


def test_of_a_damaged_record_no_number_is_used_and_the_other_runs_go_on(tmp_path):
    broken = Run(repeat=2, changes={"train_s": "fast"})
    runs, epochs = collected(tmp_path, [Run(repeat=1), broken, Run(repeat=3)])
    assert list(runs["status"]) == ["ok", "damaged", "ok"]
    assert runs.loc[1, ["train_s", "images_per_s", "test_accuracy"]].isna().all()
    assert 'train_s is "fast", expected' in runs.loc[1, "status_reason"]
    assert set(epochs["repeat"]) == {1, 3}


def test_a_damaged_epoch_table_makes_its_run_damaged(tmp_path):
    files = write(tmp_path, [Run(repeat=1), Run(repeat=2)])
    table = Path(files.epochs[0])
    table.write_text("".join(table.read_text().splitlines(keepends=True)[:5]))
    runs, epochs = collect_files(tmp_path, files)
    assert list(runs["status"]) == ["damaged", "ok"]
    assert "holds 4 epochs, expected the 10 of its record" in runs.loc[0, "status_reason"]
    assert set(epochs["repeat"]) == {2}


@pytest.mark.parametrize(
    ("builder", "arguments", "expected"),
    [
        ("resnet18", {"num_classes": 10}, "resnet"),
        ("resnet50", {"num_classes": 1000, "stem": "cifar"}, "resnet stem=cifar"),
        ("vit_b_16", {}, "vit_b"),
        ("wide_resnet50_2", {}, "wide_resnet"),
        ("efficientnet_v2_s", {}, "efficientnet_v_s"),
    ],
)
def test_a_family_is_the_builder_without_digits_and_its_other_arguments(builder, arguments, expected):
    assert family(builder, arguments) == expected


def test_the_software_of_a_run_holds_the_library_of_images_and_the_build_of_torch(tmp_path):
    seen = "PyTorch built with: - CuDNN 91.9 - Build settings: BLAS_INFO=mkl, USE_MKLDNN=ON"
    software = {"software.pillow": "12.3.0", "software.onednn": "3.10.2", "software.torch_build": seen}
    row = collected(tmp_path, [Run(changes=software)])[0].iloc[0]
    assert (row["pillow"], row["onednn"]) == ("12.3.0", "3.10.2")
    assert row["torch_build_sha256"] == hashlib.sha256(b"BLAS_INFO=mkl, USE_MKLDNN=ON").hexdigest()


def test_what_an_old_record_does_not_say_of_its_software_is_empty(tmp_path):
    names = ("python", "torch", "torchvision", "numpy", "cuda", "cudnn", "onednn", "torch_build")
    row = collected(tmp_path, [Run(changes={"software": dict.fromkeys(names)})])[0].iloc[0]
    assert row["status"] == "ok"
    assert row[["pillow", "onednn", "torch_build_sha256"]].isna().all()
