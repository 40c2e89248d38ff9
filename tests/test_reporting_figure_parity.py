"""reporting.figure_parity: where the marks are, and what the words say."""

import pytest

from drawings import bars, draw, drawn, frames, legend_of, near, points, words
from reporting.style import BAND, BLUE, THICK


def test_parity_is_drawn_in_points_with_the_interval_that_decides():
    tables = frames("five_each")  # the CPU ends higher
    shares = tables["parity"]["difference"]
    assert (shares < 0).all()
    figure = draw(tables)["parity"]
    assert points(figure.axes[0], BLUE, "o") == near((100 * share, y * 1.7) for y, share in enumerate(shares))
    assert bars(figure.axes[0], THICK) == near((100 * share - 0.3, 100 * share + 0.4) for share in shares)
    assert "Bars: 90 % intervals, equivalence test" in figure.get_supxlabel()


def test_the_margin_is_a_band_around_zero_and_named():
    figure = draw(frames("five_each"))["parity"]
    (band,) = [patch for patch in figure.axes[0].patches if patch.get_facecolor()[:3] == band_colour()]
    low, high = band.get_extents().transformed(figure.axes[0].transData.inverted()).intervalx
    assert (low, high) == (pytest.approx(-1), pytest.approx(1))
    assert "margin \N{PLUS-MINUS SIGN}1 point" in legend_of(figure)


def band_colour():
    from matplotlib.colors import to_rgb

    return to_rgb(BAND)


def test_the_axis_is_centred_and_holds_margin_and_bars():
    figure = draw(frames("five_each"))["parity"]
    low, high = figure.axes[0].get_xlim()
    assert low == -high and high > 1
    assert all(low < end < high for bar in bars(figure.axes[0], THICK) for end in bar)


def test_a_pair_that_was_not_trained_to_the_end_is_named_in_its_row():
    assert "not run" in words(drawn("with_failures")["parity"])
    tables = frames("five_each")
    rows = tables["parity"]
    rows.loc[rows["model"] == "resnet18", "difference"] = None
    tables["parity"] = rows
    figure = draw(tables)["parity"]
    assert [text.get_text() for text in figure.axes[0].texts] == ["refused"]
    assert len(points(figure.axes[0], BLUE, "o")) == 2


def test_without_any_difference_each_reason_stands_after_its_models():
    tables = frames("five_each")
    tables["parity"] = tables["parity"].assign(difference=None, note="an estimated run has no accuracy")
    text = " ".join(" ".join(text.get_text() for text in draw(tables)["parity"].texts).split())
    assert "simple_cnn, resnet18, resnet50: an estimated run has no accuracy." in text


def test_every_panel_has_the_models_in_the_same_order():
    tables = frames("two_recipes")
    rows, absent = tables["parity"], ["parameters", "difference"]
    rows.loc[(rows["recipe"] == "tuned") & (rows["model"] == "simple_cnn"), absent] = None  # as of missing runs
    names = [[label.get_text() for label in axes.get_yticklabels()] for axes in draw(tables)["parity"].axes]
    assert names == [["simple_cnn", "resnet18", "resnet50"]] * 2
