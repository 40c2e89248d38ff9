"""How a speed-up is drawn, upright in a panel over parameters or lying in a row."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from reporting.published import Published, PublishedModel
from reporting.style import BLACK, GREY, THICK, THIN, Series

BARS = {("speedup_low", "speedup_high"): THICK, ("speedup_bound_low", "speedup_bound_high"): THIN}
EQUAL: dict[str, Any] = {"color": GREY, "linewidth": 0.8}  # the line at 1, where both devices need the same time


@dataclass(frozen=True, kw_only=True)
class Content:
    """What the figure of speed-ups shows, whichever way it is drawn."""

    shown: pd.DataFrame
    """Rows of speedup.csv that have a speed-up, with pair and millions of parameters."""
    published: Published
    styles: dict[str, Series]
    """The look of each pair."""
    handles: Sequence[Line2D]
    """The legend; the study's entry is the last one."""
    footer: Sequence[str]
    width: float
    """Inches."""


def draw_marks(axes: Axes, places: pd.Series, rows: pd.DataFrame, style: Series, *, upright: bool, **more: Any) -> None:
    """Marks with bars: rows of speedup.csv at their places along the other axis; hollow where a side is estimated."""
    bars = axes.vlines if upright else axes.hlines
    for (low, high), width in BARS.items():
        barred = rows[low].notna() & rows[high].notna()
        bars(places[barred], rows[low][barred], rows[high][barred], color=style.colour, linewidth=width, **more)
    hollow = estimated(rows)
    for is_hollow, part in ((False, ~hollow), (True, hollow)):
        points = places[part], rows["speedup"][part]
        axes.plot(*(points if upright else points[::-1]), **style.points(hollow=is_hollow), **more)


def estimated(rows: pd.DataFrame) -> pd.Series:
    """Which pairs have an estimated side."""
    return (rows["cpu_mode"] == "estimated") | (rows["gpu_mode"] == "estimated")


def study_look() -> dict[str, Any]:
    """Keyword arguments of the study's points, on top of ours and with arms that reach beyond a mark."""
    return {"color": BLACK, "marker": "x", "markersize": 6, "markeredgewidth": 1, "linestyle": "none", "zorder": 3}


def same_size(parameters: float, model: PublishedModel) -> bool:
    """Whether a number of parameters agrees with the study's to its printed decimals."""
    ours, theirs = (round(number / 1e6, model.parameters_decimals) for number in (parameters, model.parameters))
    return ours == theirs


def extent(shown: pd.DataFrame) -> list[float]:
    """Everything that the axis of speed-ups must show of our rows, and 1."""
    columns = ["speedup", *(name for pair in BARS for name in pair)]
    return [1.0, *(float(value) for column in columns for value in shown[column].dropna())]
