"""How long the measurements that are left will take, and what that rests on."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Literal

import yaml

from planning.progress import duration_s

Basis = Literal["similar", "budget", "others", "unknown"]
WORDS: dict[Basis, str] = {
    "similar": "by the time of similar ones that are done",
    "budget": "at most, by budget_s of the device (training alone)",
    "others": "by the time of all that are done",
    "unknown": "of a time that is not known before the first one is done",
}

# Parts of a path: results, kind, recipe, model, device, key, repeat. The most alike come first.
_SIMILAR: tuple[Callable[[tuple[str, ...]], tuple[str, ...]], ...] = (
    lambda parts: parts[1:5],
    lambda parts: (parts[1], parts[4]),
)
_OTHERS: tuple[Callable[[tuple[str, ...]], tuple[str, ...]], ...] = (lambda parts: (parts[1],), lambda parts: ())


def device_budgets(files: Iterable[Path]) -> dict[str, float | None]:
    """Return `budget_s` of each device by these configuration files, a later one laid over those before it."""
    configs = [yaml.safe_load(path.read_text(encoding="utf-8-sig")) or {} for path in files]
    devices = [item for config in configs for item in config.get("devices", {}).items()]
    return {name: device["budget_s"] for name, device in devices if "budget_s" in device}


def rest(left: Sequence[Path], done: Iterable[Path], budgets_s: Mapping[str, float | None]) -> str:
    """Return one line on the records that are left, given those that are done and the budget of each device."""
    if not left:
        return "nothing is left to measure"
    times = {path: duration_s(path) for path in done}
    known = {path: seconds for path, seconds in times.items() if seconds is not None}
    expected = [_expected(path, known, budgets_s) for path in left]
    counts = Counter(basis for basis, _ in expected)
    grounds = "; ".join(f"{counts[basis]} {words}" for basis, words in WORDS.items() if counts[basis])
    about = "at least" if counts["unknown"] else "about"
    minutes = sum(seconds for _, seconds in expected) / 60
    time = "" if counts["unknown"] == len(left) else f", {about} {minutes:.{0 if minutes >= 1 else 1}f} min"
    return f"{len(left)} measurement{'s' if len(left) > 1 else ''} left{time}: {grounds}"


def _expected(record: Path, known: Mapping[Path, float], budgets_s: Mapping[str, float | None]) -> tuple[Basis, float]:
    """Return the seconds that a measurement will take by the best that is known, and what that is."""
    similar, others = (_mean_of_alike(record, known, likenesses) for likenesses in (_SIMILAR, _OTHERS))
    _, kind, _, _, device, *_ = record.parts
    budget_s = budgets_s.get(device) if kind == "runs" else None
    if similar is not None:
        return "similar", similar
    if budget_s is not None:
        return "budget", budget_s
    return ("unknown", 0.0) if others is None else ("others", others)


def _mean_of_alike(
    record: Path, known: Mapping[Path, float], likenesses: Iterable[Callable[[tuple[str, ...]], tuple[str, ...]]]
) -> float | None:
    for likeness in likenesses:
        alike = [seconds for path, seconds in known.items() if likeness(path.parts) == likeness(record.parts)]
        if alike:
            return fmean(alike)
    return None
