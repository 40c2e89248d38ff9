"""SHA-256 and size of a file or of a whole folder."""

import errno
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Fingerprint:
    """What identifies the content of one file or folder."""

    file: str  # path relative to the working directory, with forward slashes
    sha256: str  # 64 hexadecimal digits
    size: int  # bytes


def fingerprint(name: str, directory: Path) -> Fingerprint:
    """Read `directory / name` in chunks and return its fingerprint; raises OSError where it cannot be read."""
    path = directory / name
    sha256, size = _folder_digest(path) if path.is_dir() else _file_digest(path)
    return Fingerprint(file=name, sha256=sha256, size=size)


def relative_name(path: str | Path, directory: Path) -> str:
    """Return the path as a sidecar spells it: relative to `directory` where it lies inside, with forward slashes."""
    path = Path(path)
    if path.is_absolute() and path.is_relative_to(directory):
        path = path.relative_to(directory)
    return path.as_posix()


def files_below(folder: Path) -> list[Path]:
    """Return every file below a folder, also through linked folders (large results are often kept elsewhere)."""
    return [path for path in entries_below(folder) if path.is_file()]


def entries_below(folder: Path) -> list[Path]:
    """Return all that is no folder below a folder: files, also what is none, such as a link to nothing or a socket."""
    return [Path(top, name) for top, _, names in os.walk(folder, followlinks=True) for name in names]


def _file_digest(path: Path) -> tuple[str, int]:
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is no regular file", str(path))  # to open a pipe would wait for a writer
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
        return digest, stream.tell()


def _folder_digest(folder: Path) -> tuple[str, int]:
    """Digest of the lines "<sha256>  <relative path>" of the folder's files, sorted by path, and their total size."""
    files = {path.relative_to(folder).as_posix(): _file_digest(path) for path in _visible_files(folder)}
    lines = [f"{files[name][0]}  {name}\n" for name in sorted(files)]
    return hashlib.sha256("".join(lines).encode()).hexdigest(), sum(size for _, size in files.values())


def _visible_files(folder: Path) -> list[Path]:
    # The workflow engine adds a hidden time stamp to a folder after the job has ended.
    return [path for path in files_below(folder) if not any(x.startswith(".") for x in path.relative_to(folder).parts)]
