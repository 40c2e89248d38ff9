"""reporting.figure_speedup: where the marks are, and what the words say."""

from itertools import pairwise

import pytest

from drawings import bars, draw, drawn, frames, legend_of, near, points, words
from reporting.style import BLACK, BLUE, THICK, THIN

STUDY = [(0.5, 114.94 / 57.99), (11.7, 463.63 / 63.77), (25.6, 5443.67 / 134.08)]  # millions, CPU over GPU time


def test_speed_ups_are_drawn_where_the_table_says():
    tables = frames("five_each")
    rows = tables["speedup"][tables["speedup"]["clock"] == "train_s"]
    axes = draw(tables)["speedup"].axes[0]
    assert points(axes, BLUE, "o") == near(zip(rows["parameters"] / 1e6, rows["speedup"], strict=True))
    assert bars(axes, THICK) == near(zip(rows["speedup_low"], rows["speedup_high"], strict=True))
    assert bars(axes, THIN) == []
    assert points(axes, BLACK, "x") == near(STUDY)


def test_the_prediction_interval_of_an_estimate_is_a_thin_bar():
    tables = frames("one_each")  # resnet50 is estimated on the CPU
    row = tables["speedup"].query("model == 'resnet50' and clock == 'train_s'").iloc[0]
    figure = draw(tables)["speedup"]
    assert bars(figure.axes[0], THIN) == near([(row["speedup"] * 0.8, row["speedup"] * 1.3)])
    assert bars(figure.axes[0], THICK) == []
    footer = " ".join(figure.get_supxlabel().split())
    assert "Thin bars: bounds from the 95 % prediction intervals; hidden where shorter." in footer


def test_pairs_of_one_model_are_moved_on_the_page_and_not_in_the_data():
    tables = frames("three_pairs")
    figure = draw(tables)["speedup"]
    lines = [line for line in figure.axes[0].lines if line.get_marker() in ("o", "s", "^") and len(line.get_xdata())]
    assert [line.get_xdata()[0] for line in lines] == [pytest.approx(0.505058)] * 3
    places = [line.get_transform().transform(line.get_xydata()[0])[0] * 72 / figure.dpi for line in lines]
    assert [b - a for a, b in pairwise(places)] == pytest.approx([2, 2])  # points
    assert "by up to 2 points sideways" in figure.get_supxlabel()
    two = tables | {"speedup": tables["speedup"].query("gpu_device != 'cuda_c'")}
    assert "by up to 1 point sideways" in draw(two)["speedup"].get_supxlabel()


def test_the_legend_names_a_pair_in_the_order_of_the_axis():
    figure = draw(frames("five_each"))["speedup"]
    assert list(legend_of(figure)) == ["cpu / cuda", "Li et al. 2026: i9-14900K / RTX 3050"]
    assert figure.axes[0].get_ylabel() == "speed-up, CPU / GPU time"


def test_a_pair_is_hollow_in_the_legend_when_all_its_marks_are():
    tables = frames("one_each")  # resnet50 alone is estimated
    assert legend_of(draw(tables)["speedup"])["cpu / cuda"].get_markerfacecolor() == BLUE
    tables["speedup"]["cpu_mode"] = "estimated"
    assert legend_of(draw(tables)["speedup"])["cpu / cuda"].get_markerfacecolor() == "white"


def test_the_studys_cross_lies_on_top_of_our_mark_and_reaches_beyond_it():
    axes = draw(frames("five_each"))["speedup"].axes[0]
    (cross,) = [line for line in axes.lines if line.get_marker() == "x"]
    ours = [line for line in axes.lines if line.get_marker() == "o"]
    assert all(cross.get_zorder() > mark.get_zorder() for mark in ours)
    assert all(cross.get_markersize() > mark.get_markersize() for mark in ours)


def test_a_pair_that_did_not_learn_is_counted():
    tables = frames("five_each")
    tables["speedup"]["learning"] = ["ok", "ok", "cpu at chance", "cpu at chance", "accuracy: not run", None]
    footer = draw(tables)["speedup"].get_supxlabel()
    assert "Without sound learning: 1 of 3 pairs" in " ".join(footer.split())


def test_the_speed_up_figure_names_disturbed_runs_among_those_that_it_draws():
    tables = frames("disturbed")
    assert "Disturbed by other work: cpu (15 of 15 runs)." in draw(tables)["speedup"].get_supxlabel()
    tables["runs"].loc[tables["runs"]["model"] != "resnet50", "disturbed"] = "False"
    assert "Disturbed by other work: cpu (5 of 15 runs)." in draw(tables)["speedup"].get_supxlabel()
    rows = tables["speedup"]
    tables["speedup"] = rows.assign(speedup=rows["speedup"].where(rows["model"] != "resnet50"))
    assert "Disturbed" not in draw(tables)["speedup"].get_supxlabel()


def test_estimated_times_are_explained():
    assert "hollow: estimated" in words(drawn("one_each")["speedup"])
    assert "hollow" not in words(drawn("five_each")["speedup"])


def test_a_clock_other_than_the_training_time_is_not_drawn():
    tables = frames("five_each")
    tables["speedup"].loc[tables["speedup"]["clock"] == "total_s", "speedup"] = 1e6
    assert len(points(draw(tables)["speedup"].axes[0], BLUE, "o")) == 3
    assert max(y for _, y in points(draw(tables)["speedup"].axes[0], BLUE, "o")) < 1e3


def test_pairs_without_a_speed_up_are_counted():
    tables = frames("five_each")
    tables["speedup"].loc[tables["speedup"]["model"] == "resnet18", "speedup"] = None
    figure = draw(tables)["speedup"]
    assert "Not shown: 1 of 3 pairs, see note in speedup.csv." in " ".join(figure.get_supxlabel().split())
    assert len(points(figure.axes[0], BLUE, "o")) == 2


def test_without_any_speed_up_each_reason_stands_after_every_model_that_it_concerns():
    tables = frames("five_each")
    rows = tables["speedup"].assign(speedup=None, note="the GPU run is missing")
    rows.loc[rows["model"] == "resnet50", "note"] = "the runs differ in host"
    tables["speedup"] = rows
    text = " ".join(" ".join(text.get_text() for text in draw(tables)["speedup"].texts).split())
    assert "simple_cnn, resnet18: the GPU run is missing. resnet50: the runs differ in host." in text
