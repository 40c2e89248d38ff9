"""The three ways in which copies of CIFAR-10 are laid out, and how to find one in a folder."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fetching.failures import SourceError
from fetching.pickles import read_pickle
from fetching.pngs import TEST_LABELS, TRAIN_LABELS, read_png
from fetching.published import BATCHES, ROW_BYTES, Published

SUBFOLDERS = ("", "cifar-10-batches-bin", "cifar-10-batches-py", "package")


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The files that make up a copy, and the reader that turns one batch into the binary layout."""

    name: str
    files: tuple[str, ...]
    read: Callable[[Path, str, Published], np.ndarray]  # uint8 of shape (images, 3073)


def read_binary(folder: Path, batch: str, published: Published) -> np.ndarray:
    """Return a batch of the binary version, uint8 of shape (images, 3073). Raises SourceError for a wrong size."""
    path = folder / f"{batch}.bin"
    expected = published.images_per_batch * ROW_BYTES
    if path.stat().st_size != expected:
        raise SourceError(f"{path.name} has {path.stat().st_size} bytes, expected {expected}")
    return np.fromfile(path, dtype=np.uint8).reshape(-1, ROW_BYTES)


LAYOUTS = (
    Layout(name="binary", files=tuple(f"{batch}.bin" for batch in BATCHES), read=read_binary),
    Layout(name="PNG", files=(*(f"{batch}.png" for batch in BATCHES), TRAIN_LABELS, TEST_LABELS), read=read_png),
    Layout(name="python", files=BATCHES, read=read_pickle),
)
FILES = frozenset(file for layout in LAYOUTS for file in layout.files)


def locate(folder: Path) -> tuple[Layout, Path]:
    """Return the first layout that is complete in `folder` or one folder below, and where it is.

    Raises SourceError when there is none, naming what the most complete one lacks.
    """
    lacking: list[tuple[int, str]] = []
    for place in (folder / sub for sub in SUBFOLDERS):
        for layout in LAYOUTS:
            missing = [file for file in layout.files if not (place / file).is_file()]
            if not missing:
                return layout, place
            lacking.append((len(missing) - len(layout.files), ", ".join(missing)))
    best, what = min(lacking)
    if best == 0:
        raise SourceError("it holds no batches of CIFAR-10 (data_batch_1.bin, data_batch_1 or data_batch_1.png ...)")
    raise SourceError(f"the copy is incomplete, it lacks {what}")
