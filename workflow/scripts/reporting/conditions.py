"""Whether a pair of ours is the study's experiment, as far as the study states its conditions."""

from collections.abc import Sequence
from typing import Any

from reporting.pairs import Pair
from reporting.published import Published, PublishedModel

MILLION = 1e6


def unlike(published: Published, pair: Pair) -> str | None:
    """In what a pair differs from the study, such as `epochs (1, the study: 10)`, or None."""
    stated = _stated(published, published.models[pair.model])
    ours = _ours(pair, published.models[pair.model])
    found = [f"{name} ({ours[name]}, the study: {value})" for name, value in stated.items() if ours[name] != value]
    return ", ".join(found) or None


def not_the_experiment(published: Published, pairs: Sequence[Pair]) -> str | None:
    """In what pairs of the study's models differ from it, each named, in a sentence, or None."""
    found = [(pair.model, unlike(published, pair)) for pair in pairs]
    texts = [f"{model} in {other}" for model, other in found if other]
    return f"Not the study's experiment: it differs for {'; '.join(texts)}." if texts else None


def _stated(published: Published, model: PublishedModel) -> dict[str, Any]:
    study = published.study
    return {
        "dataset": study["dataset_type"],
        "images over all epochs": published.images,
        "epochs": study["epochs"],
        "batch_size": study["batch_size"],
        "optimizer": study["optimizer"].lower(),
        "network": model.family,
        "million parameters": _millions(model.parameters, model),
    }


def _ours(pair: Pair, model: PublishedModel) -> dict[str, Any]:
    family, parameters = str(pair.one("family")), pair.number("parameters")
    return {
        "dataset": pair.one("dataset_type"),
        "images over all epochs": pair.number("images_total"),
        "epochs": pair.number("epochs"),
        "batch_size": pair.number("batch_size"),
        "optimizer": pair.one("optimizer"),
        "network": family.split()[0],  # without its arguments: the study states no stem
        "million parameters": None if parameters is None else _millions(parameters, model),
    }


def _millions(parameters: int, model: PublishedModel) -> float:
    """Rounded as the study prints them."""
    return round(parameters / MILLION, model.parameters_decimals)
