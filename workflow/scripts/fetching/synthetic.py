"""Learnable images without a download: stripes whose direction, width and tint tell the class, under noise."""

from collections.abc import Iterator

import numpy as np

CLASSES = 10
SIDE = 32  # pixels
PHASES = 32  # random shifts of the stripes, so that no single pixel tells the class
STRIPE_AMPLITUDE = 30  # grey levels
TINT_AMPLITUDE = 6
CHUNK_IMAGES = 1000
PERIODS = (4, 6, 9, 13, 20)  # pixels; with two directions, which a mirror image keeps, they make ten classes


def make_images(count: int, stream: int) -> tuple[np.ndarray, np.ndarray]:
    """Return `count` images, uint8 of shape (count, 32, 32, 3), and labels, int64 of shape (count,).

    The classes take turns. The same `count` and `stream` give the same bytes on any machine: only raw words of
    PCG64, integer arithmetic and one rounded sine table are used. Different streams are independent.
    """
    labels = np.arange(count, dtype=np.int64) % CLASSES
    images = np.empty((count, SIDE, SIDE, 3), dtype=np.uint8)
    generator = np.random.PCG64(stream)
    stripes, tints = _stripes(), _tints()
    for chunk in _chunks(count):
        images[chunk] = _draw(labels[chunk], generator, stripes, tints)
    return images, labels


def _chunks(count: int) -> Iterator[slice]:
    return (slice(start, min(start + CHUNK_IMAGES, count)) for start in range(0, count, CHUNK_IMAGES))


def _draw(labels: np.ndarray, generator: np.random.PCG64, stripes: np.ndarray, tints: np.ndarray) -> np.ndarray:
    count = len(labels)
    picks = _bytes(generator, count * 4).reshape(count, 4)
    noise = _bytes(generator, count * SIDE * SIDE * 3).reshape(count, SIDE, SIDE, 3).astype(np.int16)
    cast = tints[labels] + picks[:, 1:].astype(np.int16) // 4 - 32  # a random colour cast hides the tint in part
    pattern = stripes[labels, picks[:, 0] % PHASES]
    levels = 128 + pattern[..., None] + cast[:, None, None, :] + noise // 2 - 64
    return np.clip(levels, 0, 255).astype(np.uint8)


def _bytes(generator: np.random.PCG64, count: int) -> np.ndarray:
    """Return uniform random bytes."""
    words = generator.random_raw(-(-count // 8)).astype("<u8", copy=False)
    return words.view(np.uint8)[:count]


def _stripes() -> np.ndarray:
    """Return int16 of shape (10 classes, 32 phases, 32, 32)."""
    shift = np.arange(PHASES)[:, None] / PHASES
    along = np.stack([np.sin(2 * np.pi * (np.arange(SIDE) / period + shift)) for period in PERIODS])
    waves = np.rint(STRIPE_AMPLITUDE * along).astype(np.int16)[..., None]
    down = np.broadcast_to(waves, (*waves.shape[:3], SIDE))
    return np.concatenate((down, down.swapaxes(2, 3)))


def _tints() -> np.ndarray:
    """Return int16 of shape (10 classes, 3 channels)."""
    channels = np.arange(CLASSES)[:, None] * (1, 3, 7) % CLASSES
    return ((2 * channels - 9) * TINT_AMPLITUDE // 9).astype(np.int16)
