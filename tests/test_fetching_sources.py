import zipfile

import numpy as np
import pytest

from fetching.sources import obtain
from fetching_fakes import (
    as_archive,
    fake_published,
    fake_rows,
    pack_folder,
    send,
    web_server,
    write_binary,
    write_png,
    write_python,
)
from lineage.digest import fingerprint
from lineage.job import UserError
from lineage.source import Source

ROWS = fake_rows()
PUBLISHED = fake_published(ROWS)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "scratch").mkdir()
    return tmp_path / "scratch"


def settings_of(**changes):
    settings = {"name": "cifar10", "type": "cifar10", "local_path": None, "timeout_s": 5, "sources": ["local"]}
    return settings | changes


def test_a_local_folder_is_used_and_left_as_it_was(tmp_path, folder):
    write_png(tmp_path / "mine" / "package", ROWS)
    before = sorted(path.name for path in (tmp_path / "mine").rglob("*"))
    arrays, source = obtain(settings_of(local_path=str(tmp_path / "mine")), folder, PUBLISHED)
    assert len(arrays["train_labels"]) == 100
    assert (source.name, source.url, len(source.files)) == ("local", "local", 8)  # six PNGs, two lists of labels
    assert {known.file for known in source.files} == {path.name for path in (tmp_path / "mine" / "package").iterdir()}
    assert sorted(path.name for path in (tmp_path / "mine").rglob("*")) == before
    assert not list(folder.iterdir())


@pytest.mark.parametrize("write", [write_binary, write_python, write_png])
def test_a_local_tar_archive_of_any_layout_is_used(tmp_path, folder, write):
    archive = pack_folder(write(tmp_path / "anything", ROWS), tmp_path / "copy.tar.gz")
    arrays, source = obtain(settings_of(local_path=str(archive)), folder, PUBLISHED)
    assert source == Source(name="local", url="local", files=(fingerprint("copy.tar.gz", tmp_path),))
    assert np.array_equal(arrays["test_labels"], ROWS["test_batch"][:, 0])


def test_a_local_zip_archive_is_used(tmp_path, folder):
    write_binary(tmp_path / "mine", ROWS)
    with zipfile.ZipFile(tmp_path / "copy.zip", "w") as packed:
        for path in (tmp_path / "mine").iterdir():
            packed.write(path, f"cifar-10-batches-bin/{path.name}")
    arrays, _ = obtain(settings_of(local_path=str(tmp_path / "copy.zip")), folder, PUBLISHED)
    assert len(arrays["test_labels"]) == 20


@pytest.mark.parametrize(("source", "write"), [("author", write_binary), ("zenodo", write_python)])
def test_a_web_archive_is_used(tmp_path, folder, source, write):
    archive = pack_folder(write(tmp_path / "top", ROWS), tmp_path / "copy.tar.gz")
    with web_server(send(archive.read_bytes())) as url:
        published = fake_published(ROWS, **{source: as_archive(archive, url)})
        arrays, served = obtain(settings_of(sources=[source]), folder, published)
    assert len(arrays["test_labels"]) == 20
    assert (served.name, served.url) == (source, as_archive(archive, url).url)
    (fetched,) = served.files
    assert fetched.sha256 == fingerprint("copy.tar.gz", tmp_path).sha256


def test_the_next_source_is_tried_and_each_step_is_said(tmp_path, folder, capsys):
    archive = pack_folder(write_binary(tmp_path / "top", ROWS), tmp_path / "copy.tar.gz")
    with web_server(send(archive.read_bytes())) as url:
        published = fake_published(ROWS, zenodo=as_archive(archive, url))
        obtain(settings_of(sources=["local", "author", "zenodo", "npm"]), folder, published)
    said = capsys.readouterr().err
    assert "cifar10: not from local: not configured (local_path is null)" in said
    assert "cifar10: not from author: 127.0.0.1 refused" in said
    assert "cifar10: got it from zenodo" in said
    assert "npm" not in said


def test_a_damaged_local_copy_leads_to_the_next_source(tmp_path, folder, capsys):
    write_binary(tmp_path / "mine", ROWS)
    (tmp_path / "mine" / "data_batch_1.bin").write_bytes(bytes(20 * 3073))
    archive = pack_folder(write_binary(tmp_path / "top", ROWS), tmp_path / "copy.tar.gz")
    with web_server(send(archive.read_bytes())) as url:
        published = fake_published(ROWS, author=as_archive(archive, url))
        obtain(settings_of(sources=["local", "author"], local_path=str(tmp_path / "mine")), folder, published)
    assert "data_batch_1.bin, has SHA-256" in capsys.readouterr().err


def test_when_none_works_one_sentence_gives_every_reason_and_a_way_out(folder, monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UserError) as failure:
        obtain(settings_of(sources=["local", "author", "npm"], local_path="/no/such"), folder, PUBLISHED)
    message = str(failure.value)
    assert "local: local_path /no/such does not exist" in message
    assert "author: 127.0.0.1 refused" in message
    assert "npm: the program npm is not installed" in message
    assert "datasets.cifar10.local_path" in message
    assert "`dataset: synthetic`" in message
    assert "\n" not in message
    assert not list(folder.iterdir())


def test_a_full_disk_ends_the_job_and_not_only_the_source(folder, monkeypatch):
    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("fetching.sources.download", full)
    with pytest.raises(OSError, match="No space left"):
        obtain(settings_of(sources=["author", "local"]), folder, PUBLISHED)
