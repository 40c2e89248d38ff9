import shutil
from collections import namedtuple

import pytest

from fetching.workspace import need_space, workspace
from lineage.job import UserError

Usage = namedtuple("Usage", "total used free")


def test_the_folder_lies_beside_the_output_and_goes_on_success(tmp_path):
    with workspace(tmp_path / "new" / "d.npz") as folder:
        (folder / "big").write_text("x")
        assert folder.parent == tmp_path / "new"
    assert not list((tmp_path / "new").iterdir())


def test_the_folder_goes_on_failure(tmp_path):
    with pytest.raises(KeyError), workspace(tmp_path / "d.npz") as folder:
        (folder / "big").write_text("x")
        raise KeyError
    assert not list(tmp_path.iterdir())


def test_what_a_killed_process_left_is_removed_and_nothing_else(tmp_path):
    (tmp_path / ".d.npz.part-abc").mkdir()
    (tmp_path / ".other.npz.part-abc").mkdir()
    with workspace(tmp_path / "d.npz"):
        pass
    assert [path.name for path in tmp_path.iterdir()] == [".other.npz.part-abc"]


def test_too_little_space_gives_needed_and_free_in_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: Usage(10, 10, 250_000_000))
    with pytest.raises(UserError, match=r"cifar10 needs 1\.00 GB .* has 0\.25 GB: free some"):
        need_space(tmp_path / "part", 1_000_000_000, "cifar10")


def test_a_small_need_is_not_said_to_be_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: Usage(10, 10, 98_000))
    with pytest.raises(UserError, match=r"tiny needs 1\.49 MB .* has 0\.10 MB: free some"):
        need_space(tmp_path / "part", 1_490_000, "tiny")


def test_enough_space_passes(tmp_path):
    need_space(tmp_path, 1, "cifar10")
