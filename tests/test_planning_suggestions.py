import pytest

from planning.suggestions import did_you_mean, number_meant


@pytest.mark.parametrize(
    ("value", "known", "end"),
    [
        ("resnet_18", ["resnet18", "resnet50"], "; did you mean resnet18?"),
        ("GPU", ["cpu", "cuda", "xpu"], "; did you mean cuda?"),
        ("gpu", ["cpu", "gpu0"], "; did you mean gpu0?"),
        ("ADAM", ["adam"], "; did you mean adam?"),
        ("something", ["cpu"], "."),
        (None, ["cpu"], "."),
        ("x", [], "."),
    ],
)
def test_the_closest_name_or_what_another_word_stands_for_is_proposed(value, known, end):
    assert did_you_mean(value, known) == end


@pytest.mark.parametrize(("value", "number"), [("1e-3", "0.001"), ("1,5", "1.5"), ("128", "128"), (" 2 ", "2")])
def test_a_text_that_looks_like_a_number_is_answered_with_the_number(value, number):
    assert number_meant(value) == f" YAML reads it as a text: write {number}, without quotes."


@pytest.mark.parametrize("value", ["ten", "nan", "1e999", "", 5, None, ["1"]])
def test_anything_else_is_not(value):
    assert number_meant(value) == ""
