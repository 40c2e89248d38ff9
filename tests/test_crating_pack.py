"""crating.pack: the same names and contents give the same bytes."""

import os
import zipfile

import pytest

from crating.pack import write_zip


def test_order_times_and_place_of_the_files_change_no_byte(tmp_path):
    for name in "ab":
        (tmp_path / name).mkdir()
        (tmp_path / name / "x").write_text("x" * 1000)
        os.utime(tmp_path / name / "x", (ord(name) * 10**6,) * 2)
    write_zip(tmp_path / "1.zip", "top", {"x": tmp_path / "a" / "x", "b/ü": b"bytes"})
    write_zip(tmp_path / "2.zip", "top", {"b/ü": b"bytes", "x": tmp_path / "b" / "x"})
    assert (tmp_path / "1.zip").read_bytes() == (tmp_path / "2.zip").read_bytes()


def test_contents_names_and_the_right_to_run_are_kept(tmp_path):
    for name, mode in (("plain", 0o600), ("runs", 0o700)):
        (tmp_path / name).write_text(name)
        (tmp_path / name).chmod(mode)
    write_zip(tmp_path / "a.zip", "top", {"plain": tmp_path / "plain", "deep/runs": tmp_path / "runs"})
    with zipfile.ZipFile(tmp_path / "a.zip") as packed:
        assert packed.testzip() is None
        assert packed.namelist() == ["top/deep/runs", "top/plain"]
        assert [packed.read(name) for name in packed.namelist()] == [b"runs", b"plain"]
        assert [entry.external_attr >> 16 & 0o777 for entry in packed.infolist()] == [0o755, 0o644]


def test_a_file_that_cannot_be_read_leaves_no_zip(tmp_path):
    with pytest.raises(FileNotFoundError):
        write_zip(tmp_path / "a.zip", "top", {"a": b"", "gone": tmp_path / "gone"})
    assert not list(tmp_path.iterdir())
