"""A zip file whose bytes depend on nothing but names and contents."""

import contextlib
import os
import shutil
import zipfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest that the format knows
_LEVEL = 6  # of compression


def write_zip(output: Path, top: str, files: Mapping[str, Path | bytes]) -> None:
    """Write files, given by their names below the folder `top`, to a zip, whole or not at all.

    The same version of zlib gives the same bytes. Raises OSError where something cannot be read or written.
    """
    unfinished = output.with_name(f".{output.name}.{os.getpid()}")
    try:
        with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL) as archive:
            for name in sorted(files):
                _add(archive, f"{top}/{name}", files[name])
        unfinished.replace(output)
    finally:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)


def _add(archive: zipfile.ZipFile, name: str, content: Path | bytes) -> None:
    runs = isinstance(content, Path) and content.stat().st_mode & 0o100
    entry = zipfile.ZipInfo(name, _TIME)
    entry.create_system = 3  # Unix, also where it is written on Windows
    entry.external_attr = (0o100755 if runs else 0o100644) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.file_size = content.stat().st_size if isinstance(content, Path) else len(content)
    with contextlib.ExitStack() as opened:
        source = opened.enter_context(content.open("rb")) if isinstance(content, Path) else BytesIO(content)
        shutil.copyfileobj(source, opened.enter_context(archive.open(entry, "w")))
