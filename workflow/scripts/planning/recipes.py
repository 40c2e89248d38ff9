"""Resolves recipes that extend another one."""

from dataclasses import fields
from typing import Any

from lineage.job import UserError
from measuring.settings import Recipe


def resolve_recipe(name: str, recipes: dict[str, dict[str, Any]]) -> Recipe:
    """Return the recipe `name` with everything that it inherits; UserError on a cycle or a missing value."""
    values = _inherited(name, recipes, ())
    missing = [field.name for field in fields(Recipe) if field.name != "name" and field.name not in values]
    if missing:
        raise UserError(
            f"config.recipes.{name}.{missing[0]} is missing: state it there, or in a recipe named under `extends`."
        )
    numbers = {key: float(values[key]) for key in ("learning_rate", "lr_gamma")}  # 1 and 1.0 are the same recipe
    recipe = Recipe(name=name, **values | numbers)
    _check_resident(recipe)
    return recipe


def _check_resident(recipe: Recipe) -> None:
    """A compiled or captured step begins with its images on the device; so does reduced precision, for simplicity.

    Resident images have no loader, so they have no loader processes either.
    """
    asked = {"compile": recipe.compile, "graph": recipe.graph, "precision": recipe.precision}
    for key, value in asked.items():
        if recipe.input_pipeline != "resident" and value in ("inductor", "inductor_gpu", "cuda_graph", "bf16", "fp16"):
            raise UserError(
                f"config.recipes.{recipe.name}.{key} is {value!r}, which needs input_pipeline: resident, got "
                f"{recipe.input_pipeline!r}: set it in that recipe too."
            )
    if recipe.input_pipeline == "resident" and recipe.loader_workers:
        raise UserError(
            f"config.recipes.{recipe.name}.loader_workers is {recipe.loader_workers}, expected 0: with input_pipeline: "
            "resident there is no loader."
        )


def _inherited(name: str, recipes: dict[str, dict[str, Any]], seen: tuple[str, ...]) -> dict[str, Any]:
    if name in seen:
        raise UserError(f"config.recipes.{seen[0]}.extends runs in a circle ({' -> '.join((*seen, name))}): break it.")
    own = dict(recipes[name])
    parent = own.pop("extends", None)
    return own if parent is None else {**_inherited(parent, recipes, (*seen, name)), **own}
