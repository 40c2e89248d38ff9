import pandas as pd
import pytest

from records import PUBLISHED
from reporting.published import read_published
from reporting.speedup_scatter import crowded, model_sizes

STUDY = read_published(PUBLISHED)
WIDTH = 3.4  # inches


def shown(sizes, pairs=("cpu / cuda",)):
    """Rows of models of so many million parameters, for each pair of devices."""
    return pd.DataFrame([{"model": m, "millions": size, "pair": pair} for m, size in sizes.items() for pair in pairs])


def test_models_come_from_small_to_large_with_the_studys_among_them():
    sizes = model_sizes(shown({"vit": 86.6, "tiny": 0.1}), STUDY)
    assert list(sizes) == ["tiny", "simple_cnn", "resnet18", "resnet50", "vit"]


def test_a_model_of_the_studys_name_but_another_size_stands_beside_it():
    sizes = model_sizes(shown({"resnet18": 11.181642}), STUDY)
    assert sizes["resnet18"] == 11.181642
    assert sizes["resnet18 (study)"] == pytest.approx(11.7)


def test_one_pair_over_the_studys_models_has_room():
    assert not crowded(shown({"resnet18": 11.689512, "resnet50": 25.557032}), STUDY, WIDTH)


@pytest.mark.parametrize(
    ("sizes", "pairs"),
    [({"a": 21.4, "b": 21.8}, ("x",)), ({"a": 1.0}, tuple("uvwxyz")), ({f"m{n}": 2.0**n for n in range(30)}, ("x",))],
)
def test_models_of_nearly_one_size_many_pairs_or_many_models_are_too_close(sizes, pairs):
    assert crowded(shown(sizes, pairs), STUDY, WIDTH)
