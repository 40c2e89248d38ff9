"""Take named files out of an archive that nobody vouches for."""

import lzma
import shutil
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from fetching.failures import SourceError, is_of_our_disk

MAX_MEMBER_BYTES = 40_000_000  # the largest batch file of any layout has 31 MB
MAX_TOTAL_BYTES = 1_000_000_000  # of all members; the largest published archive holds 186 MB
DAMAGE = (OSError, EOFError, ValueError, RuntimeError, tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError)


@dataclass(frozen=True, kw_only=True)
class Member:
    """One entry of an archive, as its header describes it."""

    path: str
    regular: bool  # a plain file: no folder, link or device
    folder: bool
    bytes: int


def take(archive: Path, names: Collection[str], folder: Path) -> None:
    """Write the members of a tar or zip file whose base name is among `names` flat into `folder`.

    Nothing else is written. Raises SourceError when such a member is no regular file, is larger than
    MAX_MEMBER_BYTES, comes twice or points out of the archive, and when the archive is damaged or no archive.
    """
    with _damage_named(archive):
        if zipfile.is_zipfile(archive):
            _take_zip(archive, names, folder)
        elif tarfile.is_tarfile(archive):
            _take_tar(archive, names, folder)
        else:
            raise SourceError(f"{archive.name} is no tar or zip archive (or its start is damaged)")


def _take_tar(archive: Path, names: Collection[str], folder: Path) -> None:
    total = 0
    with tarfile.open(archive) as tar:
        for entry in tar:
            member = Member(path=entry.name, regular=entry.isreg(), folder=entry.isdir(), bytes=entry.size)
            total += member.bytes
            if _wanted(member, names, total) and (content := tar.extractfile(entry)) is not None:
                _write(content, member, folder)


def _take_zip(archive: Path, names: Collection[str], folder: Path) -> None:
    total = 0
    with zipfile.ZipFile(archive) as packed:
        for entry in packed.infolist():
            kind = stat.S_IFMT(entry.external_attr >> 16)
            regular = kind in (0, stat.S_IFREG) and not entry.is_dir()
            member = Member(path=entry.filename, regular=regular, folder=entry.is_dir(), bytes=entry.file_size)
            total += member.bytes
            if _wanted(member, names, total):
                with packed.open(entry) as content:
                    _write(content, member, folder)


def _wanted(member: Member, names: Collection[str], total_bytes: int) -> bool:
    path = PurePosixPath(member.path)
    if total_bytes > MAX_TOTAL_BYTES:
        raise SourceError(f"the archive unpacks to more than {MAX_TOTAL_BYTES} bytes, which CIFAR-10 never does")
    if path.name not in names or member.folder:
        return False
    if not member.regular:
        raise SourceError(f"the archive's member {member.path} is a link or device, expected a plain file")
    if path.is_absolute() or ".." in path.parts or "\\" in member.path:
        raise SourceError(f"the archive's member {member.path} points out of the archive")
    if member.bytes > MAX_MEMBER_BYTES:
        raise SourceError(f"the archive's member {member.path} has {member.bytes} bytes, over {MAX_MEMBER_BYTES}")
    return True


def _write(content: IO[bytes], member: Member, folder: Path) -> None:
    target = folder / PurePosixPath(member.path).name
    if target.exists():
        raise SourceError(f"the archive holds {target.name} twice")
    with target.open("xb") as file:
        shutil.copyfileobj(content, file)


@contextmanager
def _damage_named(archive: Path) -> Iterator[None]:
    try:
        yield
    except DAMAGE as error:
        if is_of_our_disk(error):
            raise
        raise SourceError(f"{archive.name} is damaged or incomplete ({error})") from error
