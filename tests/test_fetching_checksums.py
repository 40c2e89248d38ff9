import hashlib

import numpy as np

from fetching.checksums import array_sha256, file_digest


def test_the_digest_of_a_file_is_that_of_its_bytes(tmp_path):
    (tmp_path / "abc").write_bytes(b"abc")
    assert file_digest(tmp_path / "abc", "md5") == "900150983cd24fb0d6963f7d28e17f72"
    assert file_digest(tmp_path / "abc", "sha256") == hashlib.sha256(b"abc").hexdigest()


def test_an_array_counts_by_its_elements_however_they_lie_in_memory():
    array = np.arange(6, dtype=np.uint8).reshape(2, 3)
    assert array_sha256(array) == hashlib.sha256(bytes(range(6))).hexdigest()
    assert array_sha256(np.asfortranarray(array)) == array_sha256(array)
    assert array_sha256(array.T) != array_sha256(array)


def test_labels_of_eight_bytes_are_hashed_as_bytes():
    assert array_sha256(np.array([1], dtype=np.int64)) == hashlib.sha256(b"\x01" + bytes(7)).hexdigest()
