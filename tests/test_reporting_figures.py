import json
import re
from functools import cache
from itertools import combinations, pairwise

import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text
from PIL import Image

from records import FIGURES, PUBLISHED, STATISTICS, cases, figures, tables
from reporting.figure_accuracy import common_mean, draw_accuracy
from reporting.figure_parity import draw_parity
from reporting.figure_speedup import draw_speedup
from reporting.figure_training_time import draw_training_time
from reporting.lettering import SHORTENED
from reporting.published import read_published
from reporting.statistics import StatisticsSettings
from reporting.style import BLACK, BLUE, THICK, THIN, VERMILLION, FigureSettings, styled
from reporting.tables import EPOCH_COLUMNS, PARITY_COLUMNS, RUN_COLUMNS, SPEEDUP_COLUMNS, read_table

CASES = cases()
COLUMNS = {"runs": RUN_COLUMNS, "epochs": EPOCH_COLUMNS, "speedup": SPEEDUP_COLUMNS, "parity": PARITY_COLUMNS}
SETTINGS = FigureSettings.from_json(json.dumps(FIGURES))
STUDY = [(0.5, 114.94 / 57.99), (11.7, 463.63 / 63.77), (25.6, 5443.67 / 134.08)]  # millions, CPU over GPU time


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """The tables of a case, made once."""
    return cache(lambda case: tables(tmp_path_factory.mktemp(case), CASES[case]))


@pytest.fixture(scope="module")
def drawn(folders):
    """The PNG files of a case, drawn once."""
    return cache(lambda case: figures(folders(case), folders(case).parent / "figures"))


@pytest.fixture
def frames(folders):
    """The tables of a case, with what judges learning and projections filled in by hand."""

    def read(case):
        read = {name: read_table(folders(case) / f"{name}.csv", columns) for name, columns in COLUMNS.items()}
        speedup, parity = read["speedup"], read["parity"]
        estimated = (speedup["cpu_mode"] == "estimated") | (speedup["gpu_mode"] == "estimated")
        for name, factor in (("low", 0.8), ("high", 1.3)):
            speedup[f"speedup_{name}"] = speedup[f"speedup_{name}"].where(~estimated)
            speedup[f"speedup_bound_{name}"] = (speedup["speedup"] * factor).where(estimated)
        several = parity["difference_low"].notna()
        parity["equivalence_low"] = (parity["difference"] - 0.003).where(several)
        parity["equivalence_high"] = (parity["difference"] + 0.004).where(several)
        return read

    return read


def draw(frames):
    """The four figures of a folder of tables, by name."""
    facts = StatisticsSettings.from_json(json.dumps(STATISTICS)), SETTINGS
    with styled():
        return {
            "training_time": draw_training_time(frames["runs"], SETTINGS),
            "speedup": draw_speedup(frames["speedup"], frames["runs"], read_published(PUBLISHED), *facts),
            "accuracy": draw_accuracy(frames["runs"], frames["epochs"], SETTINGS),
            "parity": draw_parity(frames["parity"], frames["runs"], *facts),
        }


def points(axes, colour, marker):
    """Where marks of one look are, (x, y) in the data's units, hollow ones after the others."""
    lines = [line for line in axes.lines if line.get_color() == colour and line.get_marker() == marker]
    return [point for line in lines for point in zip(*line.get_data(), strict=True)]


def bars(axes, width):
    """The ends of the bars of one line width, along the axis of values."""
    segments = [s for lines in axes.collections for s in lines.get_segments() if lines.get_linewidth()[0] == width]
    return [(a[0], b[0]) if a[1] == b[1] else (a[1], b[1]) for a, b in segments]


def near(pairs):
    return [pytest.approx(tuple(pair)) for pair in pairs]


def legible(figure):
    """All visible text with its box in pixels, tick labels beyond the limits left out."""
    FigureCanvasAgg(figure).draw()  # places everything
    beyond = set()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
            beyond |= {id(tick.label1) for tick in ticks if not low <= tick.get_loc() <= high or not axes.axison}
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
    return [(text.get_text(), text.get_window_extent()) for text in texts if id(text) not in beyond]


def words(png):
    """All text of the SVG beside a PNG."""
    found = re.findall(r"<text[^>]*>(.*?)</text>", png.with_suffix(".svg").read_text(encoding="utf-8"), re.DOTALL)
    return " ".join(re.sub(r"<[^>]*>", "", text) for text in found)


@pytest.mark.parametrize("case", CASES)
def test_every_case_draws_all_figures_at_column_width(drawn, case):
    for png in drawn(case).values():
        assert Image.open(png).width == pytest.approx(FIGURES["width_inches"] * FIGURES["dpi"], abs=1)


@pytest.mark.parametrize("case", CASES)
def test_no_text_is_smaller_than_it_can_be_read(drawn, case):
    for png in drawn(case).values():
        sizes = re.findall(r"font(?:-size)?:[^;\"]*?([\d.]+)px", png.with_suffix(".svg").read_text(encoding="utf-8"))
        assert sizes
        assert min(map(float, sizes)) >= 6.5


@pytest.mark.parametrize("case", CASES)
def test_every_text_lies_in_the_figure_and_on_no_other_text(frames, case):
    for name, figure in draw(frames(case)).items():
        with styled():
            texts = legible(figure)
        page = figure.bbox
        for text, box in texts:
            inside = box.x0 >= -1 and box.y0 >= -1 and box.x1 <= page.x1 + 1 and box.y1 <= page.y1 + 1
            assert inside, f"{name}: {text!r} is cut"
        for (one, a), (two, b) in combinations(texts, 2):
            apart = min(a.x1, b.x1) - max(a.x0, b.x0) < 1 or min(a.y1, b.y1) - max(a.y0, b.y0) < 1
            assert apart, f"{name}: {one!r} lies on {two!r}"


def test_speed_ups_are_drawn_where_the_table_says(frames):
    tables = frames("five_each")
    rows = tables["speedup"][tables["speedup"]["clock"] == "train_s"]
    axes = draw(tables)["speedup"].axes[0]
    assert points(axes, BLUE, "o") == near(zip(rows["parameters"] / 1e6, rows["speedup"], strict=True))
    assert bars(axes, THICK) == near(zip(rows["speedup_low"], rows["speedup_high"], strict=True))
    assert bars(axes, THIN) == []
    assert points(axes, BLACK, "x") == near(STUDY)


def test_the_prediction_interval_of_an_estimate_is_a_thin_bar(frames):
    tables = frames("one_each")  # resnet50 is estimated on the CPU
    row = tables["speedup"].query("model == 'resnet50' and clock == 'train_s'").iloc[0]
    figure = draw(tables)["speedup"]
    assert bars(figure.axes[0], THIN) == near([(row["speedup"] * 0.8, row["speedup"] * 1.3)])
    assert bars(figure.axes[0], THICK) == []
    footer = " ".join(figure.get_supxlabel().split())
    assert "Thin bars: 95 % prediction intervals; hidden where shorter." in footer


def test_pairs_of_one_model_are_moved_on_the_page_and_not_in_the_data(frames):
    tables = frames("three_pairs")
    figure = draw(tables)["speedup"]
    lines = [line for line in figure.axes[0].lines if line.get_marker() in ("o", "s", "^") and len(line.get_xdata())]
    assert [line.get_xdata()[0] for line in lines] == [pytest.approx(0.505058)] * 3
    places = [line.get_transform().transform(line.get_xydata()[0])[0] * 72 / figure.dpi for line in lines]
    assert [b - a for a, b in pairwise(places)] == pytest.approx([2, 2])  # points
    assert "by up to 2 points sideways" in figure.get_supxlabel()


def test_models_of_nearly_one_size_have_a_row_each(frames):
    tables = frames("close_sizes")
    rows = tables["speedup"][tables["speedup"]["clock"] == "train_s"]
    axes = draw(tables)["speedup"].axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["resnet18", "efficientnet_v2_s", "resnet34"]
    by_size = rows.sort_values("parameters")["speedup"]
    assert sorted(x for x, _ in points(axes, BLUE, "o")) == pytest.approx(sorted(by_size))
    assert [x for x, y in sorted(points(axes, BLUE, "o"), key=lambda point: point[1])] == pytest.approx(list(by_size))
    assert [x for x, _ in points(axes, BLACK, "x")] == pytest.approx([463.63 / 63.77])


def legend_of(figure):
    """The marks of the legend by their text."""
    (legend,) = figure.legends
    texts = [text.get_text() for text in legend.get_texts()]
    return dict(zip(texts, legend.legend_handles, strict=True))


def test_the_legend_names_a_pair_in_the_order_of_the_axis(frames):
    figure = draw(frames("five_each"))["speedup"]
    assert list(legend_of(figure)) == ["cpu / cuda", "Li et al. 2026: i9-14900K / RTX 3050"]
    assert figure.axes[0].get_ylabel() == "speed-up, CPU / GPU time"


def test_a_pair_is_hollow_in_the_legend_when_all_its_marks_are(frames):
    tables = frames("one_each")  # resnet50 alone is estimated
    assert legend_of(draw(tables)["speedup"])["cpu / cuda"].get_markerfacecolor() == BLUE
    tables["speedup"]["cpu_mode"] = "estimated"
    assert legend_of(draw(tables)["speedup"])["cpu / cuda"].get_markerfacecolor() == "white"


def test_a_device_is_hollow_in_the_legend_when_all_its_times_are_estimated(frames):
    tables = frames("one_each")  # one run of the CPU is estimated
    assert legend_of(draw(tables)["training_time"])["cpu"].get_markerfacecolor() == BLUE
    tables["runs"].loc[tables["runs"]["device"] == "cpu", "mode"] = "estimated"
    assert legend_of(draw(tables)["training_time"])["cpu"].get_markerfacecolor() == "white"


def test_the_studys_cross_lies_on_top_of_our_mark_and_reaches_beyond_it(frames):
    axes = draw(frames("five_each"))["speedup"].axes[0]
    (cross,) = [line for line in axes.lines if line.get_marker() == "x"]
    ours = [line for line in axes.lines if line.get_marker() == "o"]
    assert all(cross.get_zorder() > mark.get_zorder() for mark in ours)
    assert all(cross.get_markersize() > mark.get_markersize() for mark in ours)


def test_training_times_are_geometric_means_with_a_tick_for_each_process(frames):
    axes = draw(frames("five_each"))["training_time"].axes[0]
    times = [120 * factor for factor in (1, 1.02, 1.04, 1.06, 1.08)]
    mean = (times[0] * times[1] * times[2] * times[3] * times[4]) ** 0.2
    assert points(axes, BLUE, "o")[0] == pytest.approx((mean, 0))  # simple_cnn on the CPU, the first slot
    assert sorted(x for x, _ in points(axes, BLUE, "|"))[:5] == pytest.approx(times)
    assert points(axes, VERMILLION, "s")[0] == pytest.approx((mean * 0.3, 1))


def test_the_interval_of_an_estimated_time_is_that_of_the_record(frames):
    axes = draw(frames("cpu_only_estimated"))["training_time"].axes[0]
    assert bars(axes, THIN) == near((seconds * 0.8, seconds * 1.3) for seconds in (120, 450, 1500))


def test_accuracies_are_percentages_by_epoch(frames):
    axes = draw(frames("single"))["accuracy"].axes[0]
    shares = [0.702 * (1 - 0.5 / epoch) / 0.95 for epoch in range(1, 11)]
    assert points(axes, BLUE, "o") == near((epoch, 100 * share) for epoch, share in enumerate(shares, 1))


def test_a_mean_ends_where_the_first_repeat_ends():
    frame = pd.DataFrame({"repeat": [1, 1, 2], "epoch": [1, 2, 1], "percent": [10.0, 50.0, 30.0]})
    assert common_mean(frame).to_dict() == {1: 20.0}


def test_parity_is_drawn_in_points_with_the_interval_that_decides(frames):
    tables = frames("five_each")  # the CPU ends higher
    shares = tables["parity"]["difference"]
    assert (shares < 0).all()
    figure = draw(tables)["parity"]
    assert points(figure.axes[0], BLUE, "o") == near((100 * share, y * 1.7) for y, share in enumerate(shares))
    assert bars(figure.axes[0], THICK) == near((100 * share - 0.3, 100 * share + 0.4) for share in shares)
    assert "Bars: 90 % intervals, equivalence test" in figure.get_supxlabel()


def test_figures_say_how_many_processes_and_which_confidence(frames):
    made = draw(frames("five_each"))
    assert all("n = 5 processes" in figure.get_supxlabel() for figure in made.values())
    assert "Bars: 95 % intervals, Welch on log times" in made["speedup"].get_supxlabel()


def test_a_pair_that_did_not_learn_is_counted(frames):
    tables = frames("five_each")
    tables["speedup"]["learning"] = ["ok", "ok", "cpu at chance", "cpu at chance", "accuracy: not run", None]
    footer = draw(tables)["speedup"].get_supxlabel()
    assert "Without sound learning: 1 of 3 pairs" in " ".join(footer.split())


def test_long_names_are_shortened_and_the_footer_says_so(frames):
    made = draw(frames("long_names"))
    assert all(SHORTENED in " ".join(figure.get_supxlabel().split()) for figure in made.values())


@pytest.mark.parametrize(("case", "absent", "remedy"), [("cpu_only_estimated", "GPU", "1"), ("gpu_only", "CPU", "0")])
def test_a_study_of_one_side_says_which_is_missing_and_how_to_get_it(drawn, case, absent, remedy):
    for name in ("speedup", "parity"):
        text = words(drawn(case)[name])
        assert f"There is no {absent} run in this study" in text
        assert f"gpus: {remedy}" in text


def test_before_any_run_the_figures_say_so(drawn):
    for name in ("training_time", "accuracy"):
        assert "No run has ended well yet" in words(drawn("nothing")[name])


def test_estimated_times_are_explained(drawn):
    assert "hollow: estimated" in words(drawn("one_each")["training_time"])
    assert "hollow: estimated" in words(drawn("one_each")["speedup"])
    assert "hollow" not in words(drawn("five_each")["speedup"])


def test_runs_without_a_time_are_named(drawn):
    text = words(drawn("with_failures")["training_time"])
    assert "cpu: missing" in text and "cuda: diverged" in text
    assert "not run" in words(drawn("with_failures")["parity"])


def test_a_device_without_a_full_epoch_is_named_below_the_panels_where_no_curve_runs(frames):
    tables = frames("one_each")  # resnet50 is estimated on the CPU
    figure = draw(tables)["accuracy"]
    assert "No full epoch: cpu (resnet50)." in figure.get_supxlabel()
    assert not any(axes.texts for axes in figure.axes)
    tables["epochs"] = tables["epochs"][tables["epochs"]["device"] != "cpu"]
    assert "No full epoch: cpu." in draw(tables)["accuracy"].get_supxlabel()
    assert "No full epoch" not in draw(frames("five_each"))["accuracy"].get_supxlabel()


def test_a_device_whose_runs_were_disturbed_is_named(drawn):
    assert "Disturbed by other work: cpu (15 of 15 runs)." in words(drawn("disturbed")["training_time"])
    assert "Disturbed" not in words(drawn("five_each")["training_time"])


def test_the_speed_up_figure_names_disturbed_runs_among_those_that_it_draws(frames):
    tables = frames("disturbed")
    assert "Disturbed by other work: cpu (15 of 15 runs)." in draw(tables)["speedup"].get_supxlabel()
    tables["runs"].loc[tables["runs"]["model"] != "resnet50", "disturbed"] = "False"
    assert "Disturbed by other work: cpu (5 of 15 runs)." in draw(tables)["speedup"].get_supxlabel()
    rows = tables["speedup"]
    tables["speedup"] = rows.assign(speedup=rows["speedup"].where(rows["model"] != "resnet50"))
    assert "Disturbed" not in draw(tables)["speedup"].get_supxlabel()


def test_every_axis_has_its_unit(drawn):
    made = drawn("five_each")
    assert "training time of 10 epochs (s)" in words(made["training_time"])
    assert "parameters (millions)" in words(made["speedup"])
    assert "test accuracy (%)" in words(made["accuracy"])
    assert "(percentage points)" in words(made["parity"])


def test_recipes_have_panels_of_their_own(drawn):
    for name in ("training_time", "speedup", "parity"):
        text = words(drawn("two_recipes")[name])
        assert "recipe paper" in text and "recipe tuned" in text


def test_the_same_tables_give_the_same_bytes(tmp_path):
    folder = tables(tmp_path, CASES["one_each"])
    first, second = figures(folder, tmp_path / "a"), figures(folder, tmp_path / "b")
    for name, png in first.items():
        assert png.read_bytes() == second[name].read_bytes()
        assert png.with_suffix(".svg").read_bytes() == second[name].with_suffix(".svg").read_bytes()


def test_figure_settings_come_from_the_configuration():
    assert FigureSettings.from_json('{"width_inches": 7, "dpi": 100}').width_inches == 7
