"""Read the batches of the python version, which are pickles, without running what a pickle may contain."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np

from fetching.checksums import file_digest
from fetching.failures import SourceError
from fetching.published import PIXELS, Published


def _latin1(text: str, encoding: str) -> bytes:
    """Stand in for _codecs.encode, which Python 3 writes into pickles of protocol 2 for bytes."""
    if encoding != "latin1":
        raise pickle.UnpicklingError(f"encoding {encoding} is not admitted")
    return text.encode("latin1")


ADMITTED: dict[tuple[str, str], Any] = {
    ("numpy", "ndarray"): np.ndarray,
    ("numpy", "dtype"): np.dtype,
    # The function moved with numpy 2; this finds it in either.
    ("numpy.core.multiarray", "_reconstruct"): np.empty(0).__reduce__()[0],
    ("numpy._core.multiarray", "_reconstruct"): np.empty(0).__reduce__()[0],
    ("_codecs", "encode"): _latin1,
}


class ArrayUnpickler(pickle.Unpickler):
    """Builds containers, numbers, text and numpy arrays, and refuses everything else."""

    def find_class(self, module: str, name: str) -> Any:
        """Return what a pickle calls `module.name`, if that is admitted."""
        if (module, name) not in ADMITTED:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}, which no batch needs")
        return ADMITTED[module, name]


def read_pickle(folder: Path, batch: str, published: Published) -> np.ndarray:
    """Return a batch in the binary layout, uint8 of shape (images, 3073).

    The file is opened only if its MD5 is the published one. Raises SourceError otherwise.
    """
    path = folder / batch
    got, expected = file_digest(path, "md5"), published.python_md5[batch]
    if got != expected:
        raise SourceError(f"{path.name} has MD5 {got}, expected {expected}: it is not unpickled")
    content = load_arrays(path)
    try:
        pixels = np.asarray(content[b"data"])
        labels = np.asarray(content[b"labels"], dtype=np.uint8)
        fits = pixels.dtype == np.uint8 and pixels.shape == (len(labels), 3 * PIXELS)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise SourceError(f"{path.name} is no CIFAR-10 batch ({error!r})") from error
    if not fits:
        raise SourceError(f"{path.name} holds data {pixels.dtype}{pixels.shape}, expected uint8 of 3072 a label")
    return np.column_stack((labels, pixels))


def load_arrays(path: Path) -> Any:
    """Return the content of a pickle of plain values and numpy arrays; raise SourceError for any other."""
    try:
        with path.open("rb") as file:
            return ArrayUnpickler(file, encoding="bytes").load()
    except Exception as error:  # a malformed pickle may raise anything
        raise SourceError(f"{path.name} was refused as a pickle: {error}") from error
