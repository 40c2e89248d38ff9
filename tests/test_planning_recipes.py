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


@pytest.mark.parametrize("knob", [{"graph": "cuda_graph"}, {"compile": "inductor"}, {"precision": "bf16"}])
def test_a_compiled_or_captured_step_needs_its_images_on_the_device(knob):
    (key,) = knob
    with pytest.raises(UserError, match=rf"config\.recipes\.fast\.{key} is .* needs input_pipeline: resident"):
        resolve_recipe("fast", {"paper": PAPER, "fast": {"extends": "paper", **knob}})
    assert resolve_recipe("fast", {"paper": PAPER, "fast": {"extends": "paper", "input_pipeline": "resident", **knob}})


def test_resident_images_have_no_loader_processes():
    recipes = {"paper": PAPER, "fast": {"extends": "paper", "input_pipeline": "resident", "loader_workers": 3}}
    with pytest.raises(UserError, match=r"config\.recipes\.fast\.loader_workers is 3, expected 0"):
        resolve_recipe("fast", recipes)


def test_the_tuned_recipes_change_no_part_of_the_algorithm():
    names = ("dataset", "epochs", "batch_size", "optimizer", "learning_rate", "lr_step_size", "lr_gamma")
    recipes = [resolve_recipe(name, DEFAULT["recipes"]) for name in ("paper", "tuned", "tuned_bf16", "tuned_fp16")]
    for name in (*names, "crop_padding", "horizontal_flip"):
        assert len({getattr(recipe, name) for recipe in recipes}) == 1
    assert [recipe.precision for recipe in recipes] == ["default", "default", "bf16", "fp16"]
