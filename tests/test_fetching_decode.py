import hashlib

import numpy as np
import pytest

from fetching.decode import check_counts, decode
from fetching.failures import SourceError
from fetching_fakes import fake_published, fake_rows, write_binary, write_png, write_python

ROWS = fake_rows()


@pytest.mark.parametrize("write", [write_binary, write_python, write_png])
def test_every_layout_decodes_to_the_same_arrays(tmp_path, write):
    arrays = decode(write(tmp_path, ROWS), fake_published(ROWS))
    assert arrays["train_images"].shape == (100, 32, 32, 3)
    assert arrays["test_images"].dtype == np.uint8
    assert arrays["train_labels"].dtype == arrays["test_labels"].dtype == np.int64
    third_of_batch_2 = ROWS["data_batch_2"][3]
    assert arrays["train_labels"][23] == third_of_batch_2[0]
    assert arrays["train_images"][23, 1, 5].tolist() == third_of_batch_2[[1 + 37, 1025 + 37, 2049 + 37]].tolist()


def test_one_flipped_bit_is_found_and_named(tmp_path):
    write_binary(tmp_path, ROWS)
    content = bytearray((tmp_path / "data_batch_4.bin").read_bytes())
    content[1234] ^= 1
    (tmp_path / "data_batch_4.bin").write_bytes(content)
    got, expected = hashlib.sha256(content).hexdigest(), hashlib.sha256(ROWS["data_batch_4"].tobytes()).hexdigest()
    with pytest.raises(SourceError, match=rf"data_batch_4\.bin, has SHA-256 {got}, expected {expected}.*anew"):
        decode(tmp_path, fake_published(ROWS))


@pytest.mark.parametrize("labels", [[0] * 20, list(range(20)), list(range(10)) * 2 + [0]])
def test_labels_that_are_not_ten_equal_classes_are_refused(labels):
    with pytest.raises(SourceError, match="the labels 0-9 occur"):
        check_counts(np.array(labels))
