import pytest

from reporting.lettering import short_names, shortened, text_inches, wrap


def test_text_width_grows_with_its_letters_and_its_size():
    assert text_inches("nnnn") == pytest.approx(2 * text_inches("nn"), rel=0.02)
    assert text_inches("n", 13) == pytest.approx(2 * text_inches("n", 6.5), rel=0.02)


def test_wide_letters_take_more_room_than_narrow_ones():
    assert text_inches("WWWW") > 2 * text_inches("iiii")


def test_lines_fit_their_width_and_keep_all_words():
    text = "a sentence of several words and a_word_that_is_longer_than_any_line_may_be"
    lines = wrap(text, 1)
    assert max(map(text_inches, lines)) <= 1
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_names_that_fit_stay_whole():
    assert short_names(["cpu", "cuda"], 1) == {"cpu": "cpu", "cuda": "cuda"}


def test_a_long_name_loses_its_middle():
    (short,) = short_names(["start_" + "x" * 40 + "_end"], 1).values()
    assert text_inches(short) <= 1
    assert short.startswith("start_") and short.endswith("_end") and "\N{HORIZONTAL ELLIPSIS}" in short
    assert shortened([short]) and not shortened(["start"])


@pytest.mark.parametrize("place", [0, 10, 20, 39])
def test_different_names_stay_different_wherever_they_differ(place):
    names = ["x" * place + letter + "x" * (40 - place) for letter in "ab"]
    short = short_names(names, 0.8)
    assert len(set(short.values())) == 2
    assert max(map(text_inches, short.values())) <= 0.8
