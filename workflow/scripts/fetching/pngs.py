"""Read the batches that are PNG files, one image a row, with the labels in JSON files beside them."""

import json
from pathlib import Path

import numpy as np
from PIL import Image

from fetching.failures import SourceError
from fetching.published import PIXELS, TEST_BATCH, TRAIN_BATCHES, Published

TRAIN_LABELS = "train_lables.json"  # spelled so in the package
TEST_LABELS = "test_lables.json"
MAX_LABEL_BYTES = 1_000_000


def read_png(folder: Path, batch: str, published: Published) -> np.ndarray:
    """Return a batch in the binary layout, uint8 of shape (images, 3073). Raises SourceError if it cannot be read."""
    pixels = _pixels(folder / f"{batch}.png", published.images_per_batch)
    labels = _labels(folder, batch, published.images_per_batch)
    planes = pixels.transpose(0, 2, 1).reshape(len(pixels), 3 * PIXELS)
    return np.column_stack((labels, planes))


def _pixels(path: Path, images: int) -> np.ndarray:
    """Return uint8 of shape (images, 1024, 3)."""
    try:
        with Image.open(path, formats=["PNG"]) as picture:
            if picture.size != (PIXELS, images):
                raise SourceError(f"{path.name} has {picture.size} pixels, expected {(PIXELS, images)}")
            return np.asarray(picture.convert("RGB"))
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise SourceError(f"{path.name} is damaged or no PNG file ({error})") from error


def _labels(folder: Path, batch: str, images: int) -> np.ndarray:
    """Return uint8 of shape (images,)."""
    path = folder / (TEST_LABELS if batch == TEST_BATCH else TRAIN_LABELS)
    start = 0 if batch == TEST_BATCH else TRAIN_BATCHES.index(batch) * images
    try:
        if path.stat().st_size > MAX_LABEL_BYTES:
            raise SourceError(f"{path.name} has more than {MAX_LABEL_BYTES} bytes, too many for labels")
        labels = np.asarray(json.loads(path.read_bytes())[start : start + images], dtype=np.uint8)
    except (OSError, ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
        raise SourceError(f"{path.name} is no list of labels ({error})") from error
    if labels.shape != (images,):
        raise SourceError(f"{path.name} holds {labels.size} labels for {batch}, expected {images}")
    return labels
