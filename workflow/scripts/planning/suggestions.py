"""What a mistyped or misunderstood value may have meant."""

import difflib
import math
from collections.abc import Sequence
from typing import Any

MEANT = {"gpu": "cuda", "nvidia": "cuda", "amd": "cuda", "rocm": "cuda", "intel": "xpu", "apple": "mps", "metal": "mps"}
"""Other words for what torch calls a device type; its ROCm build calls AMD's GPUs cuda too."""


def did_you_mean(value: Any, known: Sequence[Any]) -> str:
    """Return the end of a sentence: with the known value that was probably meant, otherwise the full stop."""
    word = value.lower() if isinstance(value, str) else ""
    names = {str(name).lower(): name for name in known}
    close = [MEANT[word]] if MEANT.get(word) in names else difflib.get_close_matches(word, names, n=1)
    return f"; did you mean {names[close[0]]}?" if close else "."


def number_meant(value: Any) -> str:
    """Return a sentence for a text that looks like a number, otherwise nothing: 1e-3, 1,5 and "4" are texts."""
    try:
        number = float(value.replace(",", ".")) if isinstance(value, str) else math.nan
    except ValueError:
        return ""
    return f" YAML reads it as a text: write {number:g}, without quotes." if math.isfinite(number) else ""
