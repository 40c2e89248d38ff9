"""Check the batches of one copy and decode them to images and labels."""

from pathlib import Path

import numpy as np

from fetching.checksums import array_sha256
from fetching.failures import SourceError
from fetching.layouts import Layout, locate
from fetching.published import CLASSES, SIDE, TEST_BATCH, TRAIN_BATCHES, Published

Arrays = dict[str, np.ndarray]


def decode(folder: Path, published: Published) -> Arrays:
    """Return train_images, train_labels, test_images and test_labels of the copy in `folder`.

    Images are uint8 of shape (N, 32, 32, 3), rows first, RGB; labels int64 of shape (N,). Raises SourceError when
    the copy is incomplete or a batch differs from the published one, whatever the layout.
    """
    layout, place = locate(folder)
    train_images, train_labels = _stack(TRAIN_BATCHES, layout, place, published)
    test_images, test_labels = _stack((TEST_BATCH,), layout, place, published)
    return {
        "train_images": train_images,
        "train_labels": train_labels,
        "test_images": test_images,
        "test_labels": test_labels,
    }


def _stack(
    batches: tuple[str, ...], layout: Layout, place: Path, published: Published
) -> tuple[np.ndarray, np.ndarray]:
    """Return the images (N, 32, 32, 3) and labels (N,) of some batches, in order."""
    size = published.images_per_batch
    images = np.empty((len(batches) * size, SIDE, SIDE, 3), dtype=np.uint8)
    labels = np.empty(len(batches) * size, dtype=np.int64)
    for index, batch in enumerate(batches):
        part = slice(index * size, (index + 1) * size)
        rows = _checked(layout, place, batch, published)
        labels[part] = rows[:, 0]
        images[part] = rows[:, 1:].reshape(-1, 3, SIDE, SIDE).transpose(0, 2, 3, 1)
    check_counts(labels)
    return images, labels


def check_counts(labels: np.ndarray) -> None:
    """Raise SourceError unless the labels are 0 to 9, each equally often."""
    counts = [int(np.sum(labels == label)) for label in range(CLASSES)]
    if counts != [len(labels) // CLASSES] * CLASSES or sum(counts) != len(labels):
        raise SourceError(f"the labels 0-9 occur {counts} times, expected {len(labels) / CLASSES:g} times each")


def _checked(layout: Layout, place: Path, batch: str, published: Published) -> np.ndarray:
    rows = layout.read(place, batch, published)
    got, expected = array_sha256(rows), published.binary_sha256[batch]
    if got != expected:
        raise SourceError(
            f"{batch} of the {layout.name} copy, laid out as {batch}.bin, has SHA-256 {got}, expected {expected}: "
            "the copy is damaged or altered, get it anew"
        )
    return rows
