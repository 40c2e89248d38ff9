"""lineage.source: what a sidecar keeps of the place that served a job."""

from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

from fetching.dataset import prepare
from fetching_fakes import fake_published, fake_rows, write_binary
from lineage.digest import Fingerprint
from lineage.source import LOCAL, Source

FILES = (Fingerprint(file="images.tar.gz", sha256="a" * 64, size=9),)


def test_the_same_place_with_the_same_files_is_the_same_source():
    first = Source(name="author", url="https://host/images.tar.gz", files=FILES)
    assert first == Source(name="author", url="https://host/images.tar.gz", files=FILES)
    assert first != Source(name="author", url="https://other/images.tar.gz", files=FILES)
    assert len({first, Source(name="author", url="https://host/images.tar.gz", files=FILES)}) == 1
    with pytest.raises(FrozenInstanceError):
        first.url = LOCAL  # type: ignore[misc]


def test_a_copy_of_ones_own_is_named_without_its_path(tmp_path):
    mine = write_binary(tmp_path / "my private folder", fake_rows())
    settings = {"name": "c", "type": "cifar10", "local_path": str(mine), "timeout_s": 5, "sources": ["local"]}
    (source,) = prepare(settings, tmp_path / "d.npz", tmp_path / "d.sha256", fake_published(fake_rows()))
    assert (source.name, source.url) == ("local", LOCAL)
    assert "private" not in repr(source)
    assert {known.file for known in source.files} == {path.name for path in Path(mine).rglob("*.bin")}
