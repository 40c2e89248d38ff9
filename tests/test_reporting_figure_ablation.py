import json
import re
from dataclasses import replace

import matplotlib
import pytest
from PIL import Image

from breakdowns import Pass, breakdown_table
from configs import merged
from records import CPU_SECONDS, FIGURES, STATISTICS, STUDY, Run, tables
from reporting.ablation import tabulate_ablation
from reporting.figure_ablation import draw_ablation, plot_ablation
from reporting.notes import NO_BARS
from reporting.style import FigureSettings, series_styles
from reporting.tables import ABLATION_COLUMNS, read_table

RECIPES = tuple(merged("ablation.yaml")["study"]["recipes"])


def study(devices, **more):
    return [
        Run(recipe=recipe, model=model, device=device, gpus=gpus, repeat=repeat, **more)
        for recipe in RECIPES
        for model in STUDY
        for device, gpus in devices
        for repeat in (1, 2, 3)
    ]


def slower(run):
    """Each recipe a fifth faster than the one before, a GPU ten times as fast, repeats a few percent apart."""
    factor = 0.8 ** RECIPES.index(run.recipe) * (0.1 if run.gpus else 1) * (1 + 0.03 * run.repeat)
    return replace(run, seconds=CPU_SECONDS[run.model] * factor)


CASES = {
    "nothing": [Run(status="missing")],
    "both": [slower(run) for run in study((("cpu", 0), ("cuda", 1)))],
    "estimated": [slower(replace(run, mode="estimated")) for run in study((("cpu", 0),))],
    "one_budget": [
        *(slower(replace(run, mode="estimated")) for run in study((("cpu", 0),))),
        *(slower(run) for run in study((("cuda", 1),))),
    ],
    "disturbed": [slower(run) for run in study((("cpu", 0),), disturbed_epochs=3)],
    "unlike": [
        replace(slower(run), changes={"machine.host": "node2"} if run.recipe == "tuned" else {})
        for run in study((("cpu", 0),))
    ],
    "mixed": [
        slower(replace(run, mode="estimated" if run.recipe == "tuned" and run.repeat == 1 else "measured"))
        for run in study((("cpu", 0),))
    ],
    "failed": [*(slower(run) for run in study((("cpu", 0),))), Run(recipe="bf16", status="refused")],
}


def table_of(folder, runs):
    """Path of the ablation.csv of these runs."""
    passes = [Pass(recipe=recipe, model=model) for recipe in RECIPES for model in STUDY]
    tabulate_ablation(
        runs=str(tables(folder, runs) / "runs.csv"),
        breakdown=str(breakdown_table(folder / "passes", passes)),
        statistics=json.dumps(STATISTICS),
        output=str(folder / "ablation.csv"),
    )
    return str(folder / "ablation.csv")


def axes_of(folder, runs):
    """The axes of the first panel of the figure of these runs."""
    ablation = read_table(table_of(folder, runs), ABLATION_COLUMNS)
    return draw_ablation(ablation, FigureSettings(**FIGURES), STATISTICS["confidence"]).axes[0]


def lines_across(axes, *, dashed):
    """The x of the ends and the y of each line drawn by vlines or hlines."""
    found = [each for each in axes.collections if isinstance(each, matplotlib.collections.LineCollection)]
    chosen = [each for each in found if (each.get_linestyles()[0][1] is not None) == dashed]
    return [segment.tolist() for each in chosen for segment in each.get_segments()]


@pytest.fixture(scope="module", params=CASES)
def drawn(request, tmp_path_factory):
    """A case, its PNG and all text of its SVG."""
    folder = tmp_path_factory.mktemp(request.param)
    ablation, png, statistics = table_of(folder, CASES[request.param]), folder / "ablation.png", json.dumps(STATISTICS)
    svg = png.with_suffix(".svg")
    plot_ablation(ablation=ablation, statistics=statistics, figures=json.dumps(FIGURES), png=str(png), svg=str(svg))
    found = re.findall(r"<text[^>]*>(.*?)</text>", svg.read_text(encoding="utf-8"), re.DOTALL)
    return request.param, png, " ".join(re.sub(r"<[^>]*>", "", text) for text in found)


def test_every_case_has_the_width_of_a_column(drawn):
    _, png, _ = drawn
    assert Image.open(png).width == pytest.approx(FIGURES["width_inches"] * FIGURES["dpi"], abs=1)


def test_recipes_models_devices_and_both_lines_are_named(drawn):
    case, _, text = drawn
    if case == "nothing":
        assert "No time of a step to show" in text
        return
    assert all(name in text for name in (*RECIPES, *STUDY, "floor", "n = 3 processes a mark"))
    assert ("summed kernel time" in text) == (case in ("both", "one_budget"))
    assert ("cuda: NVIDIA H200" in text) == (case in ("both", "one_budget"))
    assert ("bf16: refused" in text) == (case == "failed")


def test_the_legend_says_which_bars_are_intervals_and_which_bounds(drawn):
    case, _, text = drawn
    estimated = case in ("estimated", "one_budget")
    assert ("Bars: 95 % intervals, t on log times" in text) == (case not in ("estimated", "nothing"))
    assert ("Thin bars: bounds from the 95 % prediction intervals" in text) == estimated
    assert ("hollow: estimated" in text) == estimated


def test_a_recipe_is_hollow_in_the_legend_when_all_its_times_are_estimated(tmp_path):
    settings = FigureSettings.from_json(json.dumps(FIGURES))
    for case, hollow in (("both", False), ("estimated", True), ("one_budget", False)):
        ablation = read_table(table_of(tmp_path / case, CASES[case]), ABLATION_COLUMNS)
        legend = draw_ablation(ablation, settings, 0.95).legends[0]
        mark = dict(zip((text.get_text() for text in legend.texts), legend.legend_handles, strict=True))["tuned"]
        assert (mark.get_markerfacecolor() == "white") == hollow


def test_disturbed_runs_have_a_star_that_is_explained(drawn):
    case, _, text = drawn
    count = len(RECIPES) * len(STUDY)
    assert ("* Other work disturbed 72 of 72 processes, see note in ablation.csv." in text) == (case == "disturbed")
    assert text.count("*") == (count + 1 if case == "disturbed" else 0)


def test_recipes_that_are_refused_are_counted(drawn):
    case, _, text = drawn
    said = "Not like the first recipe or among themselves: 3 of 24, see note in ablation.csv."
    assert (said in text) == (case in ("unlike", "mixed"))
    assert text.count("tuned: refused, see note") == (3 if case == "mixed" else 0)


def test_every_recipe_of_the_study_of_the_knobs_has_a_marker_of_its_own():
    assert len({style.marker for style in series_styles(RECIPES).values()}) == len(RECIPES) == 8


def test_each_recipe_has_the_floor_of_its_own_arithmetic(tmp_path):
    faster = {"ceiling_flop_per_s": 5e12, "ceiling_precision": "bf16"}
    runs = [
        Run(),
        Run(repeat=2, changes={"ceiling_flop_per_s": 2e12}),
        Run(recipe="b"),
        Run(recipe="c", changes=faster),
    ]
    floor = 1000 * 500_000 / 3910 * 2e8 / 4e12
    drawn = lines_across(axes_of(tmp_path, runs), dashed=True)
    assert drawn == [
        [[pytest.approx(floor), -0.5], [pytest.approx(floor), 1.5]],
        [[pytest.approx(0.8 * floor), 1.5], [pytest.approx(0.8 * floor), 2.5]],
    ]


def test_an_estimated_recipe_is_drawn_with_its_bounds(tmp_path):
    runs = [Run(), Run(recipe="b", seconds=391, mode="estimated")]  # the record states 0.8 to 1.3 of the projection
    (bar,) = lines_across(axes_of(tmp_path, runs), dashed=False)
    assert bar == [[pytest.approx(80), 1], [pytest.approx(130), 1]]


def test_without_any_ceiling_there_is_no_floor_and_none_is_explained(tmp_path):
    unknown = {"settings.recipe.optimizer": "sgd", "ceiling_flop_per_s": None, "ceiling_bytes_per_s": None}
    path = table_of(tmp_path, [Run(changes=unknown), Run(recipe="b", changes=unknown)])
    ablation = read_table(path, ABLATION_COLUMNS)
    figure = draw_ablation(ablation, FigureSettings(**FIGURES), STATISTICS["confidence"])
    labels = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    assert labels == ["paper", "b"] and "Floor" not in figure.get_supxlabel()


def test_runs_that_are_refused_a_number_say_so_though_another_run_failed(tmp_path):
    mixed = [Run(recipe="b"), Run(recipe="b", repeat=2, mode="estimated"), Run(recipe="b", repeat=3, status="missing")]
    texts = [text.get_text() for text in axes_of(tmp_path, [Run(), *mixed]).texts]
    assert texts == ["b: refused, see note"]


def test_marks_of_one_measured_process_have_no_bar_and_the_figure_says_why(tmp_path):
    def footer(folder, runs):
        ablation = read_table(table_of(folder, runs), ABLATION_COLUMNS)
        figure = draw_ablation(ablation, FigureSettings(**FIGURES), STATISTICS["confidence"])
        return " ".join(figure.get_supxlabel().split())

    estimated = Run(recipe="b", mode="estimated")
    assert NO_BARS in footer(tmp_path / "a", [Run(), estimated])
    assert NO_BARS not in footer(tmp_path / "b", [Run(), Run(repeat=2), estimated])


def test_every_panel_has_the_models_in_the_same_order(tmp_path):
    runs = [Run(model="simple_cnn"), Run(), Run(device="cuda", gpus=1, model="simple_cnn", status="missing")]
    path = table_of(tmp_path, [*runs, Run(device="cuda", gpus=1)])
    figure = draw_ablation(read_table(path, ABLATION_COLUMNS), FigureSettings(**FIGURES), STATISTICS["confidence"])
    names = [[label.get_text() for label in axes.get_yticklabels()] for axes in figure.axes]
    assert names == [["simple_cnn", "resnet18"]] * 2
