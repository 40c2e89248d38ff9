"""reporting.speedup_rows: one row a model, for models of nearly one size."""

import pytest

from drawings import draw, frames, legend_of, points
from reporting.style import BLACK, BLUE

STUDY = "Li et al. 2026: i9-14900K / RTX 3050"


def test_models_of_nearly_one_size_have_a_row_each():
    tables = frames("close_sizes")
    rows = tables["speedup"][tables["speedup"]["clock"] == "train_s"]
    axes = draw(tables)["speedup"].axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["resnet18", "efficientnet_v2_s", "resnet34"]
    by_size = rows.sort_values("parameters")["speedup"]
    assert sorted(x for x, _ in points(axes, BLUE, "o")) == pytest.approx(sorted(by_size))
    assert [x for x, y in sorted(points(axes, BLUE, "o"), key=lambda point: point[1])] == pytest.approx(list(by_size))
    assert [x for x, _ in points(axes, BLACK, "x")] == pytest.approx([463.63 / 63.77])


def close_sizes():
    """Tables of three models, of which two are too close for an axis of parameters; the study has resnet18."""
    return frames("close_sizes")


def test_the_footer_says_in_which_order_the_rows_are():
    assert "Models from few to many parameters." in draw(close_sizes())["speedup"].get_supxlabel()


def test_the_study_has_a_slot_below_our_pair_of_the_same_model_and_a_place_in_the_legend():
    figure = draw(close_sizes())["speedup"]
    ((_, ours),) = [point for point in points(figure.axes[0], BLUE, "o") if point[1] < 1]
    ((_, theirs),) = points(figure.axes[0], BLACK, "x")
    assert theirs == ours + 1
    assert list(legend_of(figure)) == ["cpu / cuda", STUDY]


def test_a_network_of_another_size_is_not_set_beside_the_studys_of_the_same_name():
    tables = close_sizes()
    rows = tables["speedup"]
    rows.loc[rows["model"] == "resnet18", "parameters"] = 11_181_642  # with a head of ten classes
    figure = draw(tables)["speedup"]
    assert points(figure.axes[0], BLACK, "x") == []
    assert list(legend_of(figure)) == ["cpu / cuda"]


def test_the_axis_holds_every_speed_up_and_the_line_of_equal_times():
    axes = draw(close_sizes())["speedup"].axes[0]
    low, high = axes.get_xlim()
    (line,) = [line for line in axes.lines if list(line.get_xdata()) == [1, 1]]
    assert axes.get_xscale() == "log" and line.get_marker() == "None"
    assert all(low < x < high for x, _ in [*points(axes, BLUE, "o"), *points(axes, BLACK, "x"), (1, 0)])


def test_each_recipe_has_a_panel_with_its_own_models():
    tables = close_sizes()
    rows = tables["speedup"]
    rows.loc[rows["model"] == "resnet34", "recipe"] = "tuned"
    above, below = draw(tables)["speedup"].axes
    assert [label.get_text() for label in above.get_yticklabels()] == ["resnet18", "efficientnet_v2_s"]
    assert [label.get_text() for label in below.get_yticklabels()] == ["resnet34"]
    assert len(points(below, BLUE, "o")) == 1 and points(below, BLACK, "x") == []
