import json
import re

import pytest
from PIL import Image

from breakdowns import Pass, breakdown_cases, breakdown_table
from records import FIGURES, STUDY
from reporting.figure_breakdown import draw_breakdown, milliseconds, plot_breakdown
from reporting.style import FigureSettings
from reporting.tables import BREAKDOWN_COLUMNS, read_table

CASES = breakdown_cases()


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    made = {}

    def draw(case):
        if case not in made:
            folder = tmp_path_factory.mktemp(case)
            made[case] = folder / "breakdown.png"
            plot_breakdown(
                breakdown=str(breakdown_table(folder, CASES[case])),
                figures=json.dumps(FIGURES),
                png=str(made[case]),
                svg=str(made[case].with_suffix(".svg")),
            )
        return made[case]

    return draw


def svg(png):
    return png.with_suffix(".svg").read_text(encoding="utf-8")


def words(png):
    """All text of the SVG beside a PNG."""
    found = re.findall(r"<text[^>]*>(.*?)</text>", svg(png), re.DOTALL)
    return " ".join(re.sub(r"<[^>]*>", "", text) for text in found)


@pytest.mark.parametrize("case", CASES)
def test_every_case_is_drawn_at_column_width_with_letters_that_can_be_read(drawn, case):
    assert Image.open(drawn(case)).width == pytest.approx(FIGURES["width_inches"] * FIGURES["dpi"], abs=1)
    sizes = [float(size) for size in re.findall(r"font(?:-size)?:[^;\"]*?([\d.]+)px", svg(drawn(case)))]
    assert sizes and min(sizes) >= 6.5


def test_both_devices_of_every_model_are_named_with_the_time_of_their_step(drawn):
    text = words(drawn("both"))
    assert all(name in text for name in ("simple_cnn", "resnet18", "resnet50", "cpu", "cuda", "80.0 ms", "655 ms"))
    assert "of an undisturbed one, whose parts overlap" in " ".join(text.split())


def test_parts_can_be_told_apart_without_colour(drawn):
    assert len(set(re.findall(r'<pattern id="(\w+)"', svg(drawn("both"))))) == 4
    assert all(word in words(drawn("both")) for word in ("wait for data", "copy to device", "optimizer", "other"))


def test_without_a_gpu_the_copy_is_explained(drawn):
    assert "nothing is copied" in words(drawn("cpu_only"))
    assert "nothing is copied" not in words(drawn("both"))


def test_what_failed_is_named_and_nothing_at_all_is_said_in_words(drawn):
    assert "oom" in words(drawn("with_failures")) and "missing" in words(drawn("with_failures"))
    assert "No breakdown has ended well yet" in words(drawn("nothing"))


def test_recipes_have_panels_of_their_own(drawn):
    assert "recipe paper" in words(drawn("two_recipes")) and "recipe workers" in words(drawn("two_recipes"))


@pytest.mark.parametrize(("seconds", "text"), [(0.6553, "655 ms"), (0.0123, "12.3 ms"), (0.00266, "2.66 ms")])
def test_milliseconds_have_three_digits(seconds, text):
    assert milliseconds(seconds) == text


def test_a_disturbed_process_is_marked_at_its_device_and_explained(drawn):
    text = " ".join(words(drawn("disturbed")).split())
    assert "cuda*" in text and "cpu*" not in text
    assert "* Other work disturbed 1 of 5 processes, see breakdown.csv." in text
    assert "*" not in words(drawn("both"))


def test_processes_that_differ_have_no_bar_and_say_so(drawn):
    assert "processes differ, see breakdown.csv" in words(drawn("unlike"))


def test_processes_that_differ_say_so_though_another_one_is_missing(drawn):
    text = words(drawn("unlike_and_missing"))
    assert "processes differ, see breakdown.csv" in text and "ok, missing" not in text


def test_a_device_without_a_bar_has_no_star_that_nothing_explains(drawn):
    assert "*" not in words(drawn("unlike_disturbed"))


def test_every_panel_has_the_models_in_the_same_order(tmp_path):
    missing = Pass(recipe="tuned", model="simple_cnn", status="missing")
    passes = [Pass(), Pass(model="resnet18"), missing, Pass(recipe="tuned", model="resnet18")]
    table = read_table(breakdown_table(tmp_path, passes), BREAKDOWN_COLUMNS)
    figure = draw_breakdown(table, FigureSettings(**FIGURES))
    names = [[text.get_text() for text in axes.texts if text.get_weight() == "bold"] for axes in figure.axes]
    assert names == [["simple_cnn", "resnet18"]] * 2


def test_processes_and_steps_of_the_bars_are_said_from_fewest_to_most(tmp_path):
    passes = [Pass(model=model, repeat=r) for model, n in zip(STUDY, (3, 1, 2), strict=True) for r in range(1, n + 1)]
    table = read_table(breakdown_table(tmp_path, passes), BREAKDOWN_COLUMNS)
    footer = " ".join(draw_breakdown(table, FigureSettings(**FIGURES)).get_supxlabel().split())
    assert "Processes a bar: 1 to 3, steps: 2 to 6." in footer
