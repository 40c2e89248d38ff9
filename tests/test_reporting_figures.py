"""What holds for every figure; each has a file of its own besides."""

import re
from itertools import combinations

import pytest
from PIL import Image

from drawings import CASES, draw, drawn, folder, frames, legible, words
from records import FIGURES, figures
from reporting.lettering import SHORTENED
from reporting.style import styled


@pytest.mark.parametrize("case", CASES)
def test_every_case_draws_all_figures_at_column_width(case):
    for png in drawn(case).values():
        assert Image.open(png).width == pytest.approx(FIGURES["width_inches"] * FIGURES["dpi"], abs=1)


@pytest.mark.parametrize("case", CASES)
def test_no_text_is_smaller_than_it_can_be_read(case):
    for png in drawn(case).values():
        sizes = re.findall(r"font(?:-size)?:[^;\"]*?([\d.]+)px", png.with_suffix(".svg").read_text(encoding="utf-8"))
        assert sizes
        assert min(map(float, sizes)) >= 6.5


@pytest.mark.parametrize("case", CASES)
def test_every_text_lies_in_the_figure_and_on_no_other_text(case):
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


def test_figures_say_how_many_processes_and_which_confidence():
    made = draw(frames("five_each"))
    assert all("n = 5 processes" in figure.get_supxlabel() for figure in made.values())
    assert "Bars: 95 % intervals, Welch on log times" in made["speedup"].get_supxlabel()


def test_long_names_are_shortened_and_the_footer_says_so():
    made = draw(frames("long_names"))
    assert all(SHORTENED in " ".join(figure.get_supxlabel().split()) for figure in made.values())


@pytest.mark.parametrize(("case", "absent", "remedy"), [("cpu_only_estimated", "GPU", "1"), ("gpu_only", "CPU", "0")])
def test_a_study_of_one_side_says_which_is_missing_and_how_to_get_it(case, absent, remedy):
    for name in ("speedup", "parity"):
        text = words(drawn(case)[name])
        assert f"There is no {absent} run in this study" in text
        assert f"gpus: {remedy}" in text


def test_before_any_run_the_figures_say_so():
    for name in ("training_time", "accuracy"):
        assert "No run has ended well yet" in words(drawn("nothing")[name])


def test_every_axis_has_its_unit():
    made = drawn("five_each")
    assert "training time of 10 epochs (s)" in words(made["training_time"])
    assert "parameters (millions)" in words(made["speedup"])
    assert "test accuracy (%)" in words(made["accuracy"])
    assert "(percentage points)" in words(made["parity"])


def test_recipes_have_panels_of_their_own():
    for name in ("training_time", "speedup", "parity"):
        text = words(drawn("two_recipes")[name])
        assert "recipe paper" in text and "recipe tuned" in text


def test_the_same_tables_give_the_same_bytes(tmp_path):
    first, second = drawn("one_each"), figures(folder("one_each"), tmp_path / "again")
    for name, png in first.items():
        assert png.read_bytes() == second[name].read_bytes()
        assert png.with_suffix(".svg").read_bytes() == second[name].with_suffix(".svg").read_bytes()
