import json

import numpy as np
import pytest
from PIL import Image

from fetching.failures import SourceError
from fetching.pngs import read_png
from fetching_fakes import fake_published, fake_rows, write_png

ROWS = fake_rows()
PUBLISHED = fake_published(ROWS)


def test_png_batches_give_the_binary_layout(tmp_path):
    write_png(tmp_path, ROWS)
    for batch in ("data_batch_1", "data_batch_5", "test_batch"):
        assert np.array_equal(read_png(tmp_path, batch, PUBLISHED), ROWS[batch])


def test_a_png_of_another_size_is_refused(tmp_path):
    write_png(tmp_path, ROWS)
    Image.new("RGB", (1024, 19)).save(tmp_path / "data_batch_2.png")
    with pytest.raises(SourceError, match=r"\(1024, 19\) pixels, expected \(1024, 20\)"):
        read_png(tmp_path, "data_batch_2", PUBLISHED)


def test_a_truncated_png_is_called_damaged(tmp_path):
    write_png(tmp_path, ROWS)
    path = tmp_path / "data_batch_2.png"
    path.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(SourceError, match="damaged or no PNG"):
        read_png(tmp_path, "data_batch_2", PUBLISHED)


@pytest.mark.parametrize("labels", [[1, 2], {"a": 1}, "text", [300] * 100, [[1]] * 100, [None] * 100])
def test_labels_that_do_not_fit_are_refused(tmp_path, labels):
    write_png(tmp_path, ROWS)
    (tmp_path / "train_lables.json").write_text(json.dumps(labels))
    with pytest.raises(SourceError, match=r"train_lables\.json"):
        read_png(tmp_path, "data_batch_2", PUBLISHED)


def test_a_label_file_that_is_no_json_is_refused(tmp_path):
    write_png(tmp_path, ROWS)
    (tmp_path / "test_lables.json").write_text("<html>")
    with pytest.raises(SourceError, match="no list of labels"):
        read_png(tmp_path, "test_batch", PUBLISHED)
