"""reporting.figure_accuracy: where the curves are, and what the words say."""

import pandas as pd
import pytest

from drawings import draw, frames, near, points
from reporting.figure_accuracy import common_mean
from reporting.style import BLUE


def test_accuracies_are_percentages_by_epoch():
    axes = draw(frames("single"))["accuracy"].axes[0]
    shares = [0.702 * (1 - 0.5 / epoch) / 0.95 for epoch in range(1, 11)]
    assert points(axes, BLUE, "o") == near((epoch, 100 * share) for epoch, share in enumerate(shares, 1))


def test_a_mean_ends_where_the_first_repeat_ends():
    frame = pd.DataFrame({"repeat": [1, 1, 2], "epoch": [1, 2, 1], "percent": [10.0, 50.0, 30.0]})
    assert common_mean(frame).to_dict() == {1: 20.0}


def test_a_device_without_a_full_epoch_is_named_below_the_panels_where_no_curve_runs():
    tables = frames("one_each")  # resnet50 is estimated on the CPU
    figure = draw(tables)["accuracy"]
    assert "No full epoch: cpu (resnet50)." in figure.get_supxlabel()
    assert not any(axes.texts for axes in figure.axes)
    tables["epochs"] = tables["epochs"][tables["epochs"]["device"] != "cpu"]
    assert "No full epoch: cpu." in draw(tables)["accuracy"].get_supxlabel()
    assert "No full epoch" not in draw(frames("five_each"))["accuracy"].get_supxlabel()


def test_several_processes_are_thin_curves_and_their_mean_a_thick_one():
    axes = draw(frames("five_each"))["accuracy"].axes[0]  # simple_cnn
    curves = [line for line in axes.lines if line.get_color() == BLUE and len(line.get_xdata()) == 10]
    widths = sorted({line.get_linewidth() for line in curves})
    thin, thick = ([line for line in curves if line.get_linewidth() == width] for width in widths)
    assert (len(thin), len(thick)) == (5, 1)
    last = [line.get_ydata()[-1] for line in thin]
    assert thick[0].get_ydata()[-1] == pytest.approx(sum(last) / 5)


def test_an_epoch_that_a_budget_cut_short_and_a_failed_run_have_no_point():
    tables = frames("single")
    tables["epochs"].loc[tables["epochs"]["epoch"] == 10, "test_accuracy"] = None
    assert max(x for x, _ in points(draw(tables)["accuracy"].axes[0], BLUE, "o")) == 9
    tables["runs"].loc[tables["runs"]["device"] == "cpu", "status"] = "diverged"
    assert points(draw(tables)["accuracy"].axes[0], BLUE, "o") == []


def test_curves_that_a_budget_ended_are_explained():
    assert "a budget ended the run" in draw(frames("one_each"))["accuracy"].get_supxlabel()
    assert "a budget ended the run" not in draw(frames("five_each"))["accuracy"].get_supxlabel()


def test_runs_without_a_full_epoch_are_told_what_to_change():
    tables = frames("single")
    tables["epochs"]["test_accuracy"] = None
    figure = draw(tables)["accuracy"]
    assert "No run has finished an epoch yet" in " ".join(figure.texts[1].get_text().split())


def test_each_model_of_each_recipe_has_a_panel_that_names_both():
    titles = [axes.get_title("left") for axes in draw(frames("two_recipes"))["accuracy"].axes]
    assert [title.replace("\n", ", ") for title in titles] == [
        f"{model}, {recipe}" for model in ("simple_cnn", "resnet18", "resnet50") for recipe in ("paper", "tuned")
    ]


def test_curves_lie_in_the_panel_of_their_model():
    tables = frames("five_each")
    axes = draw(tables)["accuracy"].axes
    for panel, model in zip(axes, ("simple_cnn", "resnet18", "resnet50"), strict=False):
        rows = tables["epochs"].query("model == @model and device == 'cpu' and epoch == 10")
        highest = max(y for x, y in points(panel, BLUE, "o") if x == 10)
        assert panel.get_title("left") == model
        assert highest <= 100 * rows["test_accuracy"].max() + 1e-9
        assert highest >= 100 * rows["test_accuracy"].min() - 1e-9
