"""Configurations for tests: the default one, changed at one place."""

import copy
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]
DEFAULT = yaml.safe_load((ROOT / "config" / "config.yaml").read_text(encoding="utf-8"))


def changed(path: str, value: Any) -> dict[str, Any]:
    """Return the default configuration with `value` at the dotted `path`."""
    config = copy.deepcopy(DEFAULT)
    *parents, last = path.split(".")
    place = config
    for parent in parents:
        place = place[parent]
    place[last] = value
    return config


def merged(overlay: str) -> dict[str, Any]:
    """Return the default configuration with an overlay of config/ laid over it, as the workflow engine does."""
    return merge(copy.deepcopy(DEFAULT), yaml.safe_load((ROOT / "config" / overlay).read_text(encoding="utf-8")))


def merge(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    for key, value in above.items():
        below[key] = merge(below[key], value) if isinstance(value, dict) and isinstance(below.get(key), dict) else value
    return below
