"""Text that fits: its width in the font that is drawn, broken into lines or shortened to a width."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextToPath

from reporting.style import FONT, SMALL

POINTS_PER_INCH = 72
LINE_INCHES = SMALL * 1.3 / POINTS_PER_INCH
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
SHORTENED = f"Names with {ELLIPSIS} are shortened; the tables have them in full."


@lru_cache(maxsize=10_000)
def text_inches(text: str, size: float = SMALL) -> float:
    """Width of a line of text of this font size (points), in inches."""
    font = FontProperties(family=FONT, size=size)
    return float(TextToPath().get_text_width_height_descent(text, font, ismath=False)[0]) / POINTS_PER_INCH


def wrap(text: str, width_inches: float, size: float = SMALL) -> list[str]:
    """Lines that fit a width; a word that does not is broken."""
    lines = [""]
    for word in text.split():
        for piece in _pieces(word, width_inches, size):
            longer = f"{lines[-1]} {piece}".strip()
            if text_inches(longer, size) <= width_inches:
                lines[-1] = longer
            else:
                lines.append(piece)
    return [line for line in lines if line]


def _pieces(word: str, width: float, size: float) -> list[str]:
    fitting = (end for end in range(len(word), 0, -1) if text_inches(word[:end], size) <= width)
    end = next(fitting, 1)
    return [word] if end >= len(word) else [word[:end], *_pieces(word[end:], width, size)]


def short_names(names: Sequence[str], width_inches: float, size: float = SMALL) -> dict[str, str]:
    """Each name with letters of its middle left out where it is wider than a width; different names stay different.

    Where no place of the gap tells them apart, all are numbered.
    """
    letters = max(2, int(width_inches / text_inches("n", size)))
    for tail in sorted(range(letters), key=lambda tail: abs(tail - letters // 2)):
        short = {name: _shorten(name, width_inches, size, tail) for name in names}
        if len(set(short.values())) == len(short):
            return short
    return {name: _shorten(f"{number} {name}", width_inches, size, 0) for number, name in enumerate(short, 1)}


def _shorten(name: str, width: float, size: float, tail: int) -> str:
    if text_inches(name, size) <= width:
        return name
    end = name[len(name) - tail :]
    candidates = (name[:head] + ELLIPSIS + end for head in range(len(name) - tail, -1, -1))
    return next((short for short in candidates if text_inches(short, size) <= width), ELLIPSIS + end)


def shortened(texts: Iterable[str]) -> list[str]:
    """A line for the footer if any of these texts was shortened."""
    return [SHORTENED] if any(ELLIPSIS in text for text in texts) else []
