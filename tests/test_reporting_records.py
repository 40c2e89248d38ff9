import json
from pathlib import Path

import pytest

from lineage.job import UserError
from records import SCHEMA, Run, write
from reporting.records import read_epochs, read_record, read_schema, setting


def record_file(folder, **run):
    return write(folder, [Run(**run)])


def reading(path):
    return read_record(path, read_schema(SCHEMA))


@pytest.mark.parametrize("mode", ["measured", "estimated"])
def test_a_record_of_the_factory_is_valid(tmp_path, mode):
    assert reading(record_file(tmp_path, mode=mode, epochs_done=3).records[0])["mode"] == mode


def test_a_truncated_record_is_refused_by_name(tmp_path):
    path = Path(record_file(tmp_path).records[0])
    text = path.read_text()
    path.write_text(text[: len(text) // 2])
    with pytest.raises(UserError, match=r"1\.json: expected a complete JSON record .* run again"):
        reading(path)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("machine.physical_cores", 0, r"machine\.physical_cores is 0, expected minimum 1"),
        ("train_s", "fast", r'train_s is "fast", expected type'),
        ("status", "fine", r'status is "fine", expected enum'),
        ("key", "XYZ", r'key is "XYZ", expected pattern'),
        ("colour", "red", r"colour"),
        ("train_s", 0.0, r"1\.json: train_s is 0\.0, expected exclusiveMinimum 0"),
        ("elapsed_train_s", 0.0, r"elapsed_train_s is 0\.0, expected exclusiveMinimum 0"),
        ("projected_train_s", 0.0, r"projected_train_s is 0\.0, expected exclusiveMinimum 0"),
        ("projected_train_low_s", 0.0, r"projected_train_low_s is 0\.0, expected exclusiveMinimum 0"),
        ("projected_train_high_s", 0.0, r"projected_train_high_s is 0\.0, expected exclusiveMinimum 0"),
        ("startup_s", 0.0, r"startup_s is 0\.0, expected exclusiveMinimum 0"),
        ("total_s", 0.0, r"total_s is 0\.0, expected exclusiveMinimum 0"),
    ],
)
def test_an_edited_field_is_named_with_its_value(tmp_path, field, value, message):
    with pytest.raises(UserError, match=message):
        reading(write(tmp_path, [Run(changes={field: value})]).records[0])


def test_a_missing_field_is_named(tmp_path):
    path = Path(record_file(tmp_path).records[0])
    content = json.loads(path.read_text())
    del content["seed"]
    path.write_text(json.dumps(content))
    with pytest.raises(UserError, match="'seed' is a required property"):
        reading(path)


def test_nan_is_no_number_of_a_record(tmp_path):
    with pytest.raises(UserError, match="NaN is no JSON number"):
        reading(write(tmp_path, [Run(changes={"train_loss": float("nan")})]).records[0])


def test_an_ok_measured_run_needs_its_time(tmp_path):
    with pytest.raises(UserError, match="train_s is null, expected seconds in an ok measured run"):
        reading(write(tmp_path, [Run(changes={"train_s": None})]).records[0])


def test_an_estimated_run_has_no_measured_time(tmp_path):
    run = Run(mode="estimated", epochs_done=1, changes={"train_s": 5.0})
    with pytest.raises(UserError, match=r"train_s is 5\.0, expected null in an ok estimated run"):
        reading(write(tmp_path, [run]).records[0])


def test_a_setting_that_is_absent_is_named():
    with pytest.raises(UserError, match=r"settings\.recipe\.epochs is missing"):
        setting("a.json", {"settings": {"recipe": {}}}, "recipe", "epochs")


def test_a_truncated_epoch_table_is_refused(tmp_path):
    path = Path(record_file(tmp_path).epochs[0])
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[:5]))
    with pytest.raises(UserError, match="holds 4 epochs, expected the 10 of its record"):
        read_epochs(path, {"epochs_done": 10})


def test_an_epoch_table_with_text_for_a_number_is_refused(tmp_path):
    path = Path(record_file(tmp_path).epochs[0])
    path.write_text(path.read_text().replace("0.001", "slow", 1))
    with pytest.raises(UserError, match="learning_rate is 'slow', expected a number"):
        read_epochs(path, {"epochs_done": 10})


@pytest.mark.parametrize("content", ["", "epoch,images\n1,2\n"])
def test_an_epoch_table_without_its_columns_is_refused(tmp_path, content):
    path = tmp_path / "1.csv"
    path.write_text(content)
    with pytest.raises(UserError, match="expected"):
        read_epochs(path, {"epochs_done": 0})
