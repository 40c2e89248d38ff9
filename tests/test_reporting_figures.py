import re

import pytest
from PIL import Image

from records import FIGURES, cases, figures, tables
from reporting.style import FigureSettings

CASES = cases()


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    made = {}

    def draw(case):
        if case not in made:
            folder = tmp_path_factory.mktemp(case)
            made[case] = figures(tables(folder, CASES[case]), folder / "figures")
        return made[case]

    return draw


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


def test_without_a_gpu_the_figures_say_what_is_missing_and_how_to_get_it(drawn):
    for name in ("speedup", "parity"):
        text = words(drawn("cpu_only_estimated")[name])
        assert "There is no GPU run in this study" in text
        assert "gpus: 1" in text


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
    assert "no full epoch" in words(drawn("with_failures")["accuracy"])


def test_a_device_whose_runs_were_disturbed_is_named(drawn):
    assert "Disturbed by other work: cpu (15 of 15 runs)." in words(drawn("disturbed")["training_time"])
    assert "Disturbed" not in words(drawn("five_each")["training_time"])


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
