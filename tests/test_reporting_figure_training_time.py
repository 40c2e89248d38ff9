"""reporting.figure_training_time: where the marks are, and what the words say."""

import pytest

from drawings import bars, draw, drawn, frames, legend_of, near, points, words
from reporting.style import BLUE, THIN, VERMILLION


def test_training_times_are_geometric_means_with_a_tick_for_each_process():
    axes = draw(frames("five_each"))["training_time"].axes[0]
    times = [120 * factor for factor in (1, 1.02, 1.04, 1.06, 1.08)]
    mean = (times[0] * times[1] * times[2] * times[3] * times[4]) ** 0.2
    assert points(axes, BLUE, "o")[0] == pytest.approx((mean, 0))  # simple_cnn on the CPU, the first slot
    assert sorted(x for x, _ in points(axes, BLUE, "|"))[:5] == pytest.approx(times)
    assert points(axes, VERMILLION, "s")[0] == pytest.approx((mean * 0.3, 1))


def test_the_interval_of_an_estimated_time_is_that_of_the_record():
    axes = draw(frames("cpu_only_estimated"))["training_time"].axes[0]
    assert bars(axes, THIN) == near((seconds * 0.8, seconds * 1.3) for seconds in (120, 450, 1500))


def test_a_device_is_hollow_in_the_legend_when_all_its_times_are_estimated():
    tables = frames("one_each")  # one run of the CPU is estimated
    assert legend_of(draw(tables)["training_time"])["cpu"].get_markerfacecolor() == BLUE
    tables["runs"].loc[tables["runs"]["device"] == "cpu", "mode"] = "estimated"
    assert legend_of(draw(tables)["training_time"])["cpu"].get_markerfacecolor() == "white"


def test_a_device_whose_runs_were_disturbed_is_named():
    assert "Disturbed by other work: cpu (15 of 15 runs)." in words(drawn("disturbed")["training_time"])
    assert "Disturbed" not in words(drawn("five_each")["training_time"])


def test_estimated_times_are_hollow_and_explained():
    figure = draw(frames("one_each"))["training_time"]  # resnet50 is estimated on the CPU
    hollow = [line for line in figure.axes[0].lines if line.get_markerfacecolor() == "white"]
    assert [list(line.get_xdata()) for line in hollow] == [[pytest.approx(1500)]]
    assert "hollow: estimated" in legend_of(figure)
    assert "hollow: estimated" not in legend_of(draw(frames("five_each"))["training_time"])


def test_runs_without_a_time_are_named():
    text = words(drawn("with_failures")["training_time"])
    assert "cpu: missing" in text and "cuda: diverged" in text
    assert "Not shown: 1 diverged, 1 missing of 10 runs." in text


def test_a_run_that_failed_has_no_mark_even_where_it_left_a_time():
    tables = frames("single")
    tables["runs"].loc[tables["runs"]["device"] == "cpu", "status"] = "diverged"
    figure = draw(tables)["training_time"]
    assert tables["runs"]["train_s"].notna().all()
    assert points(figure.axes[0], BLUE, "o") == [] and len(points(figure.axes[0], VERMILLION, "s")) == 1
    assert [text.get_text() for text in figure.axes[0].texts] == ["cpu: diverged"]


def test_models_lie_from_few_to_many_parameters_and_every_time_within_the_axis():
    axes = draw(frames("many"))["training_time"].axes[0]
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names[0] == "simple_cnn" and names[-1] == "vit_b_16" and len(names) == 8
    low, high = axes.get_xlim()
    assert axes.get_xscale() == "log"
    assert all(low < seconds < high for line in axes.lines for seconds in line.get_xdata())


def test_recipes_of_different_length_are_said_to_train_all_epochs():
    tables = frames("two_recipes")
    assert draw(tables)["training_time"].axes[-1].get_xlabel() == "training time of 10 epochs (s)"
    tables["runs"].loc[tables["runs"]["recipe"] == "tuned", "epochs"] = 3
    assert draw(tables)["training_time"].axes[-1].get_xlabel() == "training time of all epochs (s)"


def test_every_panel_has_the_models_in_the_same_order():
    tables, absent = frames("two_recipes"), ["parameters", "train_s"]
    runs = tables["runs"]
    runs.loc[(runs["recipe"] == "tuned") & (runs["model"] == "simple_cnn"), absent] = None  # as of a missing run
    figure = draw(tables)["training_time"]
    names = [[label.get_text() for label in axes.get_yticklabels()] for axes in figure.axes]
    assert names == [["simple_cnn", "resnet18", "resnet50"]] * 2


def test_the_bar_of_several_estimated_processes_spans_their_intervals_and_says_so():
    tables = frames("five_each")
    runs = tables["runs"]
    cpu = runs["device"] == "cpu"
    runs.loc[cpu, ["mode", "projected_train_s"]] = ["estimated", 0]
    runs.loc[cpu, "projected_train_low_s"] = runs["train_s"] * 0.8
    runs.loc[cpu, "projected_train_high_s"] = runs["train_s"] * 1.3
    figure = draw(tables)["training_time"]
    assert bars(figure.axes[0], THIN)[0] == pytest.approx((120 * 0.8, 120 * 1.08 * 1.3))  # of the five
    footer = " ".join(figure.get_supxlabel().split())
    assert "Thin bars: from the lowest to the highest end of the 95 % prediction intervals of the processes" in footer


def test_measured_and_estimated_repeats_are_two_marks_of_so_many_processes():
    tables = frames("five_each")
    runs = tables["runs"]
    runs.loc[(runs["device"] == "cpu") & (runs["repeat"] == 5), "mode"] = "estimated"
    assert "n = 1 to 5 processes a mark." in draw(tables)["training_time"].get_supxlabel()
