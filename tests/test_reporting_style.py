import json

from records import FIGURES
from reporting.style import COLOURS, LINES, MARKERS, FigureSettings, Series, new_figure, save, series_styles, styled


def test_each_name_has_a_look_of_its_own_without_colour_and_with_it():
    styles = series_styles([f"device {number}" for number in range(6)])
    assert len({style.colour for style in styles.values()}) == len(COLOURS) == 6
    assert len({style.marker for style in styles.values()}) == 6 <= len(MARKERS)


def test_names_beyond_the_colours_differ_by_marker_or_line():
    styles = series_styles([str(number) for number in range(len(COLOURS) * len(LINES))])
    assert len({(style.colour, style.marker, style.line) for style in styles.values()}) == len(styles)


def test_a_hollow_mark_is_white_inside():
    look = Series(colour="red", marker="o", line="-")
    assert look.points(hollow=True)["markerfacecolor"] == "white"
    assert look.points()["markerfacecolor"] == "red"


def test_the_same_figure_gives_the_same_bytes(tmp_path):
    settings = FigureSettings.from_json(json.dumps(FIGURES))
    for name in ("a", "b"):
        with styled():
            figure = new_figure(settings.width_inches, 1)
            figure.subplots().plot([1, 2], [1, 2])
            save(figure, settings, str(tmp_path / f"{name}.png"), str(tmp_path / f"{name}.svg"))
    for ending in ("png", "svg"):
        assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()


def test_figure_settings_come_from_the_configuration():
    assert FigureSettings.from_json('{"width_inches": 7, "dpi": 100}').width_inches == 7
