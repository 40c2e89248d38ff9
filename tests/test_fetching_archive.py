import io
import os
import stat
import tarfile
import zipfile

import pytest

from fetching import archive as archive_module
from fetching.archive import take
from fetching.failures import SourceError

NAMES = {"data_batch_1.bin", "data_batch_2.bin"}


def tar_of(path, *entries):
    """Entries are (name, content) or a TarInfo without content."""
    with tarfile.open(path, "w:gz") as tar:
        for entry in entries:
            if isinstance(entry, tarfile.TarInfo):
                tar.addfile(entry)
            else:
                info = tarfile.TarInfo(entry[0])
                info.size = len(entry[1])
                tar.addfile(info, io.BytesIO(entry[1]))
    return path


def link(name, target, kind):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "into").mkdir()
    return tmp_path / "into"


def everything_below(path):
    return sorted(file.name for file in path.rglob("*") if file.is_file())


def test_only_named_files_are_taken_flat_from_a_tar(tmp_path, folder):
    packed = tar_of(tmp_path / "a.tgz", ("x/data_batch_1.bin", b"one"), ("x/evil.sh", b"rm"), ("../up.txt", b"up"))
    take(packed, NAMES, folder)
    assert everything_below(tmp_path) == ["a.tgz", "data_batch_1.bin"]
    assert (folder / "data_batch_1.bin").read_bytes() == b"one"


def test_only_named_files_are_taken_flat_from_a_zip(tmp_path, folder):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as packed:
        packed.writestr("x/data_batch_2.bin", b"two")
        packed.writestr("x/readme", b"no")
    take(tmp_path / "a.zip", NAMES, folder)
    assert everything_below(folder) == ["data_batch_2.bin"]


@pytest.mark.parametrize("name", ["../data_batch_1.bin", "x/../../data_batch_1.bin", "/etc/data_batch_1.bin"])
@pytest.mark.parametrize("kind", ["tar", "zip"])
def test_a_member_that_points_out_of_the_archive_is_refused(tmp_path, folder, name, kind):
    path = tmp_path / "a"
    if kind == "tar":
        tar_of(path, (name, b"x"))
    else:
        with zipfile.ZipFile(path, "w") as packed:
            packed.writestr(name, b"x")
    with pytest.raises(SourceError, match="points out of the archive"):
        take(path, NAMES, folder)
    assert everything_below(tmp_path) == ["a"]


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE])
def test_links_and_devices_in_a_tar_are_refused(tmp_path, folder, kind):
    packed = tar_of(tmp_path / "a.tgz", link("data_batch_1.bin", "/etc/passwd", kind))
    with pytest.raises(SourceError, match="link or device"):
        take(packed, NAMES, folder)
    assert not list(folder.iterdir())


def test_a_link_in_a_zip_is_refused(tmp_path, folder):
    info = zipfile.ZipInfo("data_batch_1.bin")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as packed:
        packed.writestr(info, "/etc/passwd")
    with pytest.raises(SourceError, match="link or device"):
        take(tmp_path / "a.zip", NAMES, folder)


def test_a_member_that_is_too_large_is_refused(tmp_path, folder, monkeypatch):
    monkeypatch.setattr(archive_module, "MAX_MEMBER_BYTES", 10)
    packed = tar_of(tmp_path / "a.tgz", ("data_batch_1.bin", b"x" * 11))
    with pytest.raises(SourceError, match="11 bytes, over 10"):
        take(packed, NAMES, folder)


def test_an_archive_that_unpacks_to_far_too_much_is_refused(tmp_path, folder, monkeypatch):
    monkeypatch.setattr(archive_module, "MAX_TOTAL_BYTES", 10)
    packed = tar_of(tmp_path / "a.tgz", ("ballast", b"x" * 11))
    with pytest.raises(SourceError, match="more than 10 bytes"):
        take(packed, NAMES, folder)


def test_a_file_that_comes_twice_is_refused(tmp_path, folder):
    packed = tar_of(tmp_path / "a.tgz", ("a/data_batch_1.bin", b"1"), ("b/data_batch_1.bin", b"2"))
    with pytest.raises(SourceError, match="twice"):
        take(packed, NAMES, folder)


def test_a_truncated_tar_is_called_damaged(tmp_path, folder):
    packed = tar_of(tmp_path / "a.tgz", ("data_batch_1.bin", os.urandom(50_000)))
    packed.write_bytes(packed.read_bytes()[:20_000])
    with pytest.raises(SourceError, match="damaged or incomplete"):
        take(packed, NAMES, folder)


def test_a_flipped_bit_in_a_zip_is_called_damaged(tmp_path, folder):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as packed:
        packed.writestr("data_batch_1.bin", b"x" * 1000)
    content = bytearray((tmp_path / "a.zip").read_bytes())
    content[500] ^= 1
    (tmp_path / "a.zip").write_bytes(content)
    with pytest.raises(SourceError, match="damaged or incomplete"):
        take(tmp_path / "a.zip", NAMES, folder)


def test_a_web_page_is_no_archive(tmp_path, folder):
    (tmp_path / "a.tar.gz").write_text("<html>not found</html>")
    with pytest.raises(SourceError, match="no tar or zip archive"):
        take(tmp_path / "a.tar.gz", NAMES, folder)
