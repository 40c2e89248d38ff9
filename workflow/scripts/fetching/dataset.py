"""Make one dataset, ready for training, from its entry under `datasets:`."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fetching.decode import Arrays
from fetching.outputs import write
from fetching.published import CIFAR10, Published
from fetching.sources import obtain
from fetching.synthetic import make_images
from fetching.workspace import need_space, workspace
from lineage.job import UserError
from lineage.source import Source

CIFAR10_BYTES = 1_000_000_000  # archive, its copy in a program's cache, unpacked files and the result
IMAGE_BYTES = 32 * 32 * 3 + 8  # with its label

Settings = Mapping[str, Any]


def prepare(settings: Settings, data: Path, checksum: Path, published: Published = CIFAR10) -> list[Source]:
    """Write the dataset that `settings` describe to `data` (.npz) and the SHA-256 of its arrays to `checksum`.

    `settings` is one entry of `datasets:` with its `name`. The .npz holds train_images, uint8 of shape
    (N, 32, 32, 3), train_labels, int64 of shape (N,), test_images and test_labels. Returns what served: nothing for
    images that are made here. Raises UserError when the dataset cannot be had, OSError when it cannot be written; then
    neither output is new, what was there before is kept, and no temporary file is left.
    """
    if settings["type"] not in MAKERS:
        raise UserError(
            f"datasets.{settings['name']}.type is {settings['type']!r}, expected {' or '.join(MAKERS)}: correct it."
        )
    needed_bytes, make = MAKERS[settings["type"]]
    with _said_to_be_kept(data), workspace(data) as folder:
        need_space(folder, needed_bytes(settings), settings["name"])
        arrays, sources = make(settings, folder, published)
        write(arrays, data, checksum, folder)
    return sources


@contextmanager
def _said_to_be_kept(data: Path) -> Iterator[None]:
    try:
        yield
    except UserError as error:
        if not data.exists():
            raise
        raise UserError(f"{str(error).removesuffix('.')}; {data} of before is kept.") from error


def _cifar10(settings: Settings, folder: Path, published: Published) -> tuple[Arrays, list[Source]]:
    arrays, source = obtain(settings, folder, published)
    return arrays, [source]


def _synthetic(settings: Settings, folder: Path, published: Published) -> tuple[Arrays, list[Source]]:
    train_images, train_labels = make_images(settings["train_images"], stream=0)
    test_images, test_labels = make_images(settings["test_images"], stream=1)
    arrays = {
        "train_images": train_images,
        "train_labels": train_labels,
        "test_images": test_images,
        "test_labels": test_labels,
    }
    return arrays, []


def _synthetic_bytes(settings: Settings) -> int:
    return (settings["train_images"] + settings["test_images"]) * IMAGE_BYTES + 1_000_000


Make = Callable[[Settings, Path, Published], tuple[Arrays, list[Source]]]

MAKERS: dict[str, tuple[Callable[[Settings], int], Make]] = {
    "cifar10": (lambda settings: CIFAR10_BYTES, _cifar10),
    "synthetic": (_synthetic_bytes, _synthetic),
}
