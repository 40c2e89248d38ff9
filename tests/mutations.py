"""Configurations of the smoke study that were changed at random in one to three places, for Hypothesis."""

import copy
from dataclasses import dataclass
from datetime import date
from typing import Any

from hypothesis import strategies as st

from configs import merged

SMOKE = merged("smoke.yaml")
ODD = ["", "auto", "gpu", "cuda", "1e-3", "1,5", "10", "nan", "../x", "a b", "x" * 300, 10**400, -1, 0, 1, 0.5, 1e300]
VALUES = st.one_of(
    st.sampled_from([*ODD, [], {}, date(2026, 12, 1), b"bytes"]),
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    st.lists(st.sampled_from(["cpu", "paper", "resnet18", 3, None, "cpu"]), max_size=3),
    st.dictionaries(st.sampled_from(["builder", "type", "extends", 5, "no such"]), st.integers(), max_size=2),
)
ACTIONS = ("replace", "delete", "rename", "add")


@dataclass(frozen=True)
class Mutated:
    """A changed configuration, and the names of the keys at which and above which it was changed."""

    config: dict[str, Any]
    names: frozenset[str]


@st.composite
def mutated(draw: st.DrawFn) -> Mutated:
    """Return the smoke study with one to three values replaced or deleted, keys renamed or added."""
    config, names = copy.deepcopy(SMOKE), set()
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(list(paths(config))))
        names |= {part for part in path[-2:] if isinstance(part, str)}
        names.add(_change(draw, config, path))
    return Mutated(config=config, names=frozenset(names))


def paths(value: Any, above: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the way to every value below this one."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path for key, child in items for path in [(*above, key), *paths(child, (*above, key))]]


def _change(draw: st.DrawFn, config: Any, path: tuple[Any, ...]) -> str:
    """Change what stands at `path` and return a name that may have become new."""
    place, key = config, path[-1]
    for part in path[:-1]:
        place = place[part]
    action = draw(st.sampled_from(ACTIONS))
    new = draw(st.sampled_from([f"{key}s", str(key)[:-1] or "x", "dataset", "threads", "gpus"]))
    if action == "delete":
        del place[key]
    elif action == "replace" or isinstance(place, list):
        place[key] = draw(VALUES)
    else:
        place[new] = place.pop(key) if action == "rename" else draw(VALUES)
    return new
