import pytest

from fetching.failures import SourceError
from fetching.layouts import locate, read_binary
from fetching_fakes import fake_published, fake_rows, write_binary, write_png, write_python

ROWS = fake_rows()


@pytest.mark.parametrize(
    ("write", "subfolder", "name"),
    [
        (write_binary, "cifar-10-batches-bin", "binary"),
        (write_python, "cifar-10-batches-py", "python"),
        (write_png, "package", "PNG"),
        (write_png, "", "PNG"),
        (write_binary, "", "binary"),
    ],
)
def test_each_layout_is_found_in_the_folder_or_one_below(tmp_path, write, subfolder, name):
    place = write(tmp_path / subfolder, ROWS)
    layout, found = locate(tmp_path)
    assert (layout.name, found) == (name, place)


def test_an_incomplete_copy_is_named_with_what_it_lacks(tmp_path):
    write_binary(tmp_path, ROWS)
    (tmp_path / "data_batch_3.bin").unlink()
    with pytest.raises(SourceError, match=r"lacks data_batch_3\.bin$"):
        locate(tmp_path)


def test_a_folder_without_batches_is_said_to_hold_none(tmp_path):
    with pytest.raises(SourceError, match="holds no batches"):
        locate(tmp_path)


def test_a_binary_batch_of_a_wrong_size_is_refused_with_both_sizes(tmp_path):
    write_binary(tmp_path, ROWS)
    with (tmp_path / "test_batch.bin").open("ab") as file:
        file.write(b"x")
    with pytest.raises(SourceError, match="61461 bytes, expected 61460"):
        read_binary(tmp_path, "test_batch", fake_published(ROWS))
