"""Whether a model of the configuration can be trained here, and if not, which of its keys is wrong."""

import difflib
import inspect
import re
import typing
from typing import Any

import torch
import torchvision

from measuring.models import build_model, builder_function
from measuring.settings import ModelSettings

KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}


def model_error(name: str, model: dict[str, Any]) -> str | None:
    """Return one sentence on why the model cannot be trained on images of 32 x 32 pixels, or None.

    `model` is an entry of `models:`, its builder and arguments. Allocates no weights.
    """
    path, builder = f"config.models.{name}", model["builder"]
    arguments = {key: value for key, value in model.items() if key != "builder"}
    if builder not in (known := builders()):
        return f"{path}.builder is {builder!r}, expected {' or '.join(KNOWN_AS)}{did_you_mean(builder, known)}"
    return _argument_error(path, builder, arguments) or _build_error(path, model, name, arguments)


KNOWN_AS = ("simple_cnn", "the name of a torchvision classification builder")


def builders() -> list[str]:
    """Return every name that `builder:` can have."""
    return ["simple_cnn", *torchvision.models.list_models(module=torchvision.models)]


def did_you_mean(name: str, known: list[str]) -> str:
    """Return the end of a sentence, with the closest known name if one is close."""
    close = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {close[0]}?" if close else "."


def accepted(builder: str) -> dict[str, type]:
    """Return the arguments of a builder with their types; those of torchvision are declared by the class it returns."""
    own = typing.get_type_hints(builder_function(builder))
    if builder != "simple_cnn":
        returned = inspect.signature(torchvision.models.get_model_builder(builder)).return_annotation
        own |= typing.get_type_hints(returned.__init__)
    return {key: kind for key, kind in own.items() if key not in ("builder", "arguments", "kwargs", "return")}


def _argument_error(path: str, builder: str, arguments: dict[str, Any]) -> str | None:
    known = accepted(builder)
    for key, value in arguments.items():
        if key not in known and key not in ("weights", "progress"):
            hint = did_you_mean(key, list(known))
            return f"{path}.{key} is {value!r}, but the builder {builder} has no such argument{hint}"
        if known.get(key) in KINDS and not _fits(value, known[key]):
            return f"{path}.{key} is {value!r}, expected {KINDS[known[key]]}."
    return None


def _fits(value: Any, kind: type) -> bool:
    return type(value) is kind or (kind is float and type(value) is int)


def _build_error(path: str, model: dict[str, Any], name: str, arguments: dict[str, Any]) -> str | None:
    try:
        with torch.device("meta"):
            network = build_model(ModelSettings(name=name, builder=model["builder"], arguments=arguments))
            output = network.train()(torch.empty(2, 3, 32, 32))
    except Exception as error:  # whatever a third-party builder raises is the answer
        return _in_plain_words(path, model, (str(error).splitlines() or [type(error).__name__])[0])
    if isinstance(output, torch.Tensor) and output.ndim == 2 and output.shape[1] >= 10:
        return None
    shape = tuple(output.shape) if isinstance(output, torch.Tensor) else type(output).__name__
    return (
        f"{path} is {model}, which returns {shape} for 2 images, expected a tensor of shape (2, classes) with at least "
        "10 classes."
    )


def _in_plain_words(path: str, model: dict[str, Any], error: str) -> str:
    missing = re.search(r"missing \d+ required .*argument.*: '(\w+)'", error)
    if missing:
        return f"{path}.{missing[1]} is missing: the builder {model['builder']} needs it."
    if "Wrong image height" in error and "image_size" not in model:
        return f"{path}.image_size is missing: the images have 32 x 32 pixels, write image_size: 32."
    if error.split(" is ")[0] in model:
        return f"{path}.{error}."
    return f"{path} is {model}, which cannot be trained on images of 32 x 32 pixels: {error.rstrip('.!')[:200]}."
