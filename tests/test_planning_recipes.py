import pytest

from configs import DEFAULT
from lineage.job import UserError
from planning.recipes import resolve_recipe

PAPER = DEFAULT["recipes"]["paper"]


def test_a_recipe_that_extends_another_states_only_what_differs():
    recipes = {
        "paper": PAPER,
        "long": {"extends": "paper", "epochs": 20},
        "longer": {"extends": "long", "batch_size": 64},
    }
    recipe = resolve_recipe("longer", recipes)
    assert (recipe.name, recipe.epochs, recipe.batch_size, recipe.learning_rate) == ("longer", 20, 64, 0.001)


def test_a_circle_of_recipes_is_named():
    recipes = {"a": {"extends": "b"}, "b": {"extends": "a"}}
    with pytest.raises(UserError, match="a -> b -> a"):
        resolve_recipe("a", recipes)


def test_a_recipe_must_be_complete():
    incomplete = {key: value for key, value in PAPER.items() if key != "epochs"}
    with pytest.raises(UserError, match=r"config\.recipes\.short\.epochs is missing"):
        resolve_recipe("short", {"short": incomplete})
