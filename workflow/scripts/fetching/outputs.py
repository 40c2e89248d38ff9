"""Write the decoded dataset and its checksums, both or neither."""

import os
from pathlib import Path

import numpy as np

from fetching.checksums import array_sha256
from fetching.decode import Arrays

ORDER = ("train_images", "train_labels", "test_images", "test_labels")


def write(arrays: Arrays, data: Path, checksum: Path, folder: Path) -> None:
    """Write the arrays as an uncompressed .npz to `data` and one line an array, SHA-256 and name, to `checksum`.

    Equal arrays give equal files. `folder` takes temporary files and must lie on the file system of both.
    """
    new_data, new_checksum = folder / "data.npz", folder / "checksums"
    with new_data.open("wb") as file:
        np.savez(
            file,
            train_images=arrays["train_images"],
            train_labels=arrays["train_labels"],
            test_images=arrays["test_images"],
            test_labels=arrays["test_labels"],
        )
        file.flush()
        os.fsync(file.fileno())
    with new_checksum.open("w", encoding="ascii", newline="\n") as text:
        text.writelines(f"{array_sha256(arrays[name])}  {name}\n" for name in ORDER)
        text.flush()
        os.fsync(text.fileno())
    checksum.unlink(missing_ok=True)  # whenever this is cut short, no checksum file describes other data
    os.replace(new_data, data)  # noqa: PTH105
    os.replace(new_checksum, checksum)  # noqa: PTH105
