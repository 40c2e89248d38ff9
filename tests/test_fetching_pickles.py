import hashlib
import os
import pickle

import numpy as np
import pytest

from fetching.failures import SourceError
from fetching.pickles import load_arrays, read_pickle
from fetching_fakes import fake_published, fake_rows, python2_pickle


class Payload:
    """Runs a command when it is unpickled by an ordinary unpickler."""

    def __init__(self, target):
        self.target = target

    def __reduce__(self):
        return os.system, (f"touch {self.target}",)


def published_with(batch, content):
    return fake_published(fake_rows(), python_md5={batch: hashlib.md5(content).hexdigest()})


def test_a_batch_pickled_by_python_2_is_read_with_its_labels(tmp_path):
    rows = fake_rows()["data_batch_1"]
    (tmp_path / "data_batch_1").write_bytes(python2_pickle(rows))
    assert np.array_equal(read_pickle(tmp_path, "data_batch_1", fake_published(fake_rows())), rows)


@pytest.mark.parametrize("protocol", [2, 3, 4])
def test_arrays_pickled_by_python_3_and_this_numpy_are_read(tmp_path, protocol):
    array = np.arange(6, dtype=np.uint8).reshape(2, 3)
    (tmp_path / "p").write_bytes(pickle.dumps({b"data": array}, protocol=protocol))
    assert np.array_equal(load_arrays(tmp_path / "p")[b"data"], array)


def test_arrays_under_the_name_of_the_other_numpy_are_read(tmp_path):
    content = pickle.dumps(np.arange(3, dtype=np.uint8), protocol=2)
    old, new = b"numpy.core.multiarray", b"numpy._core.multiarray"
    other = content.replace(new, old) if new in content else content.replace(old, new)
    assert other != content
    (tmp_path / "p").write_bytes(other)
    assert load_arrays(tmp_path / "p").tolist() == [0, 1, 2]


def test_a_file_with_another_md5_is_not_unpickled(tmp_path):
    content = pickle.dumps(Payload(tmp_path / "ran"))
    (tmp_path / "data_batch_1").write_bytes(content)
    with pytest.raises(SourceError, match=f"has MD5 {hashlib.md5(content).hexdigest()}, expected [0-9a-f]{{32}}"):
        read_pickle(tmp_path, "data_batch_1", fake_published(fake_rows()))
    assert not (tmp_path / "ran").exists()


def test_a_payload_is_refused_even_if_the_md5_matches(tmp_path):
    content = pickle.dumps(Payload(tmp_path / "ran"))
    (tmp_path / "data_batch_1").write_bytes(content)
    with pytest.raises(SourceError, match=r"asks for (posix|nt)\.system"):
        read_pickle(tmp_path, "data_batch_1", published_with("data_batch_1", content))
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("content", [b"", b"\x80\x02", b"garbage", b"cbuiltins\neval\n."])
def test_malformed_pickles_are_refused(tmp_path, content):
    (tmp_path / "p").write_bytes(content)
    with pytest.raises(SourceError, match="refused as a pickle"):
        load_arrays(tmp_path / "p")


@pytest.mark.parametrize("value", [[1], {b"data": 1}, {b"data": np.zeros((2, 5), np.uint8), b"labels": [1, 2]}])
def test_a_pickle_of_something_else_is_no_batch(tmp_path, value):
    content = pickle.dumps(value, protocol=2)
    (tmp_path / "test_batch").write_bytes(content)
    with pytest.raises(SourceError, match=r"no CIFAR-10 batch|expected uint8"):
        read_pickle(tmp_path, "test_batch", published_with("test_batch", content))
