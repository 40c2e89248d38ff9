import hashlib
import os

import numpy as np
import pytest

from fetching.outputs import write

ARRAYS = {
    "test_labels": np.array([1], dtype=np.int64),
    "train_images": np.arange(12288, dtype=np.uint16).astype(np.uint8).reshape(4, 32, 32, 3),
    "train_labels": np.array([3, 1, 2, 0], dtype=np.int64),
    "test_images": np.zeros((1, 32, 32, 3), dtype=np.uint8),
}


@pytest.fixture
def places(tmp_path):
    (tmp_path / "part").mkdir()
    return tmp_path / "d.npz", tmp_path / "d.sha256", tmp_path / "part"


def test_the_checksum_file_has_one_line_an_array_in_order(places):
    data, checksum, folder = places
    write(ARRAYS, data, checksum, folder)
    lines = checksum.read_text().splitlines()
    assert [line.split("  ")[1] for line in lines] == ["train_images", "train_labels", "test_images", "test_labels"]
    assert lines[3].split("  ")[0] == hashlib.sha256(b"\x01" + bytes(7)).hexdigest()


def test_the_arrays_come_back(places):
    write(ARRAYS, *places)
    with np.load(places[0]) as stored:
        assert list(stored) == ["train_images", "train_labels", "test_images", "test_labels"]
        assert all(np.array_equal(stored[name], ARRAYS[name]) for name in ARRAYS)


def test_equal_arrays_give_equal_files_at_another_time(places, monkeypatch):
    write(ARRAYS, *places)
    first = places[0].read_bytes(), places[1].read_bytes()
    monkeypatch.setattr("time.time", lambda: 2_000_000_000.0)
    write(ARRAYS, *places)
    assert (places[0].read_bytes(), places[1].read_bytes()) == first


def test_no_checksum_is_left_beside_other_data_when_renaming_fails(places, monkeypatch):
    data, checksum, folder = places
    checksum.write_text("of older data")
    replace = os.replace

    def fail_for_checksum(source, target):
        if target == checksum:
            raise OSError(5, "cut short")
        replace(source, target)

    monkeypatch.setattr("os.replace", fail_for_checksum)
    with pytest.raises(OSError, match="cut short"):
        write(ARRAYS, data, checksum, folder)
    assert not checksum.exists()
