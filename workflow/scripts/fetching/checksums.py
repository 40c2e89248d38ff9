"""Checksums of files and arrays, as hexadecimal text."""

import hashlib
from pathlib import Path

import numpy as np


def file_digest(path: Path, algorithm: str) -> str:
    """Return the digest of a file's bytes; `algorithm` is a name of hashlib."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.new(algorithm, usedforsecurity=False)).hexdigest()


def array_sha256(array: np.ndarray) -> str:
    """Return the SHA-256 of the array's elements in C order."""
    return hashlib.sha256(np.ascontiguousarray(array).data.cast("B")).hexdigest()
