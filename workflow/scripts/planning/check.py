"""Checks a configuration and says in one sentence what is wrong with it."""

import math
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend

from lineage.job import UserError
from planning.recipes import resolve_recipe
from planning.suggestions import did_you_mean, number_meant

SCHEMA = Path(__file__).parents[2] / "schemas" / "config.schema.yaml"

# JSON Schema counts 128.0 as an integer; a batch size of 128.0 would only fail later, inside torch.
StrictValidator = extend(
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine("integer", lambda _, value: type(value) is int),
)


def check_config(config: dict[str, Any]) -> None:
    """Raise UserError, one sentence, for the first thing in `config` that the schema or common sense refuses."""
    for path, value in _walk(config, "config"):
        _check_value(path, value)
    errors = StrictValidator(yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))).iter_errors(config)
    error = min(errors, key=lambda error: (len(error.absolute_path), str(error.absolute_path)), default=None)
    if error is not None:
        raise UserError(_sentence(error))
    _check_names(config)
    _check_devices(config["devices"])
    _check_prices(config)
    for name in config["study"]["recipes"]:
        resolve_recipe(name, config["recipes"])


def _walk(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    yield path, value
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        if isinstance(value, dict) and not isinstance(key, str):
            raise UserError(f"{path} has {_key_words(key)}, expected a name: {_remedy(key, child)}.")
        yield from _walk(child, f"{path}.{key}")


def _key_words(key: Any) -> str:
    if isinstance(key, bool):
        return f"a key that YAML reads as {_short(key)} (as {'yes, on or true' if key else 'no, off or false'})"
    return f"the key {str(key) if isinstance(key, date) else repr(key)}"


def _remedy(key: Any, value: Any) -> str:
    """In `{budget_s: 1,5}` YAML reads a key 5 without a value."""
    return "put it in quotes" if value is not None else "write a decimal point where a comma stands"


def _check_value(path: str, value: Any) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise UserError(f"{path} is {value}, expected a finite number.")
    if isinstance(value, date):
        raise UserError(
            f"{path} is {value}, which YAML reads as a date, expected a number, text, list or mapping: write a number "
            "without dashes, or put a text in quotes."
        )
    if not isinstance(value, str | int | float | list | dict | None):
        raise UserError(f"{path} is {value!r}, expected a number, text, list or mapping: put it in quotes.")


def _sentence(error: ValidationError) -> str:
    path = ".".join(["config", *map(str, error.absolute_path)])
    schema: Any = error.schema
    instance: Any = error.instance
    if error.validator == "additionalProperties":
        return _unknown_key(instance, schema, path)
    if error.validator == "required":
        missing = next(key for key in schema["required"] if key not in instance)
        return f"{path}.{missing} is missing: add it, config/config.yaml shows it with its unit and reason."
    if "propertyNames" in error.absolute_schema_path:
        return f"{path} defines {_short(instance)}, expected {schema['description']}."
    hint = did_you_mean(instance, schema.get("enum", [])) + number_meant(instance)
    return f"{path} is {_short(instance)}, expected {schema.get('description', error.message)}{hint}"


def _short(value: Any) -> str:
    text = {None: "null", True: "true", False: "false"}[value] if isinstance(value, bool | None) else repr(value)
    return text if len(text) <= 100 else f"{text[:97]}..."


def _unknown_key(mapping: dict[str, Any], schema: dict[str, Any], path: str) -> str:
    known = list(schema["properties"])
    unknown = next(key for key in mapping if key not in known)
    value = _short(mapping[unknown])
    return f"{path}.{unknown} is {value}, but there is no such key, {_expected(unknown, known)}"


def _expected(name: str, known: list[str]) -> str:
    return f"expected one of {', '.join(known)}{did_you_mean(name, known)}"


def _check_names(config: dict[str, Any]) -> None:
    study = config["study"]
    for kind in ("models", "devices", "recipes"):
        for name in study[kind] if study[kind] != "auto" else []:
            _check_known(f"config.study.{kind}", name, config[kind], kind)
    for name, recipe in config["recipes"].items():
        for key, section in (("dataset", "datasets"), ("extends", "recipes")):
            if key in recipe:
                _check_known(f"config.recipes.{name}.{key}", recipe[key], config[section], section)


def _check_devices(devices: dict[str, Any]) -> None:
    for name, device in devices.items():
        if device["type"] != "cpu" and device["gpus"] == 0:
            raise UserError(
                f"config.devices.{name}.gpus is 0, expected 1: a device of type {device['type']} holds a GPU."
            )


def _check_prices(config: dict[str, Any]) -> None:
    prices = config["cost"]["price_per_hour"]
    for name in prices:
        _check_known("config.cost.price_per_hour", name, config["devices"], "devices")
    if config["cost"]["currency"] is None and any(price is not None for price in prices.values()):
        raise UserError(
            "config.cost.currency is null, but price_per_hour has prices: state their currency, such as USD."
        )


def _check_known(path: str, name: str, definitions: dict[str, Any], section: str) -> None:
    if name not in definitions:
        raise UserError(
            f"{path} names {name!r}, which `{section}` does not define, {_expected(name, list(definitions))}"
        )
