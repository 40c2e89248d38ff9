import os

import numpy as np
import pytest

from fetching.dataset import prepare
from fetching_fakes import fake_published, fake_rows, write_binary
from lineage.job import UserError

SYNTHETIC = {"name": "tiny", "type": "synthetic", "train_images": 30, "test_images": 10}


def cifar10(path):
    return {"name": "cifar10", "type": "cifar10", "local_path": str(path), "timeout_s": 5, "sources": ["local"]}


def test_a_synthetic_dataset_has_the_images_asked_for(tmp_path):
    assert prepare(SYNTHETIC, tmp_path / "d.npz", tmp_path / "d.sha256") == []
    with np.load(tmp_path / "d.npz") as stored:
        assert stored["train_images"].shape == (30, 32, 32, 3)
        assert stored["test_labels"].shape == (10,)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d.npz", "d.sha256"]


def test_two_makings_are_byte_identical(tmp_path):
    for name in "ab":
        prepare(SYNTHETIC, tmp_path / f"{name}.npz", tmp_path / f"{name}.sha256")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    assert (tmp_path / "a.sha256").read_bytes() == (tmp_path / "b.sha256").read_bytes()


def test_a_local_copy_becomes_the_two_outputs(tmp_path):
    write_binary(tmp_path / "mine", fake_rows())
    out = tmp_path / "out"
    (source,) = prepare(cifar10(tmp_path / "mine"), out / "d.npz", out / "d.sha256", fake_published(fake_rows()))
    assert source.name == "local"
    assert sorted(path.name for path in out.iterdir()) == ["d.npz", "d.sha256"]


def test_a_failure_leaves_nothing_behind(tmp_path):
    with pytest.raises(UserError, match="No source of dataset cifar10 works"):
        prepare(cifar10(tmp_path / "none"), tmp_path / "d.npz", tmp_path / "d.sha256", fake_published(fake_rows()))
    assert not list(tmp_path.iterdir())


def test_a_failure_keeps_what_was_there_before_and_says_so(tmp_path):
    data, checksum = tmp_path / "d.npz", tmp_path / "d.sha256"
    data.write_text("data")
    checksum.write_text("checksum")
    with pytest.raises(UserError, match=rf"^No source of dataset cifar10 works .*; {data} of before is kept\.$"):
        prepare(cifar10(tmp_path / "none"), data, checksum, fake_published(fake_rows()))
    assert (data.read_text(), checksum.read_text()) == ("data", "checksum")
    assert len(list(tmp_path.iterdir())) == 2


def test_a_disk_that_fills_while_writing_leaves_nothing_behind(tmp_path, monkeypatch):
    def full(*arguments, **named):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("numpy.savez", full)
    with pytest.raises(OSError, match="No space left"):
        prepare(SYNTHETIC, tmp_path / "d.npz", tmp_path / "d.sha256")
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="permissions do not bind this user")
def test_a_folder_without_permission_is_named(tmp_path):
    (tmp_path / "closed").mkdir(mode=0o500)
    with pytest.raises(PermissionError, match="closed"):
        prepare(SYNTHETIC, tmp_path / "closed" / "d.npz", tmp_path / "closed" / "d.sha256")


def test_an_unknown_type_is_named_with_the_known_ones(tmp_path):
    with pytest.raises(UserError, match=r"datasets\.tiny\.type is 'mnist', expected cifar10 or synthetic"):
        prepare(SYNTHETIC | {"type": "mnist"}, tmp_path / "d.npz", tmp_path / "d.sha256")
