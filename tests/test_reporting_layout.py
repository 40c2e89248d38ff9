import pandas as pd
import pytest

from reporting.layout import Rows, by_parameters, legend_columns, log_limits, log_ticks, plain, spread


def test_labels_with_room_stay_where_they_are():
    assert spread([0.1, 0.5], [0.1, 0.1], 1) == [0.1, 0.5]


def test_labels_that_overlap_move_apart_and_stay_within():
    assert spread([0.5, 0.5], [0.2, 0.2], 1) == pytest.approx([0.5, 0.7])
    assert spread([0.8, 0.95], [0.2, 0.2], 1) == pytest.approx([0.7, 0.9])


def test_models_are_ordered_by_parameters_and_unknown_ones_come_last():
    frame = pd.DataFrame({"model": ["c", "x", "a"], "parameters": [30, None, 10]})
    assert by_parameters(frame) == ["a", "c", "x"]


def test_rows_of_one_model_are_neighbours_and_models_have_a_gap():
    rows = Rows(models=["a", "b"], series=["cpu", "cuda"])
    assert [rows.y(m, s) for m in "ab" for s in ("cpu", "cuda")] == pytest.approx([0, 1, 2.7, 3.7])


def test_a_log_axis_spans_at_least_what_is_asked():
    low, high = log_limits([10, 10], 4)
    assert (low, high) == pytest.approx((5, 20))


def test_a_legend_takes_the_columns_that_fit():
    labels = ["cpu", "cuda"]
    assert legend_columns(labels, 3.4) == 2
    assert legend_columns(["x" * 80, "y"], 3.4) == 1


def test_axis_numbers_are_plain():
    assert [plain(value) for value in (0.5, 2, 1000, 20000)] == ["0.5", "2", "1000", "20\N{THIN SPACE}000"]


def test_a_narrow_log_axis_has_fewer_numbers():
    assert log_ticks((10, 1000), 2, along=True) == [10, 20, 50, 100, 200, 500, 1000]
    assert log_ticks((10, 1000), 0.8, along=True) == [10, 100, 1000]
    assert log_ticks((10, 1000), 0.3, along=True) == [100]
