import pytest

from records import PUBLISHED, Run, pairs_of
from reporting.conditions import unlike
from reporting.published import read_published

STUDY = read_published(PUBLISHED)


def pair_of(folder, **changes):
    (pair,) = pairs_of(folder, [Run(device=device, gpus=gpus, **changes) for device, gpus in (("cpu", 0), ("cuda", 1))])
    return pair


def test_runs_under_the_stated_conditions_are_the_studys_experiment(tmp_path):
    assert unlike(STUDY, pair_of(tmp_path)) is None


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"settings.recipe.epochs": 1}, "epochs (1, the study: 10)"),
        ({"settings.recipe.optimizer": "sgd"}, "optimizer (sgd, the study: adam)"),
        ({"settings.dataset.type": "synthetic"}, "dataset (synthetic, the study: cifar10)"),
        ({"parameters": 11_181_642}, "million parameters (11.2, the study: 11.7)"),
    ],
)
def test_what_differs_from_the_study_is_named_with_both_values(tmp_path, changes, words):
    assert unlike(STUDY, pair_of(tmp_path, changes=changes)) == words


def test_a_learning_rate_is_not_stated_and_no_difference(tmp_path):
    assert unlike(STUDY, pair_of(tmp_path, changes={"settings.recipe.learning_rate": 0.5})) is None
