"""Places for text and points: legends, footers, rows and log axes that stay readable with many models."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from reporting.style import BLACK, GREY, PALE, SMALL, FigureSettings, new_figure

POINTS_PER_INCH = 72
LETTER = 0.56  # mean width of a letter, in font sizes
LINE_INCHES = SMALL * 1.3 / POINTS_PER_INCH
HANDLE_INCHES = 0.36  # handle, gap and space between columns of a legend
SLOT_INCHES = 0.135
GAP_SLOTS = 0.7  # between two models, in slots


def text_inches(text: str) -> float:
    """Estimated width of a line of small text, in inches."""
    return len(text) * LETTER * SMALL / POINTS_PER_INCH


def wrap(text: str, width_inches: float) -> list[str]:
    """Lines of small text that fit a width."""
    return textwrap.wrap(text, max(10, int(width_inches / text_inches("x"))))


def legend_columns(labels: Sequence[str], width_inches: float) -> int:
    """The most columns of a legend, filled from top to bottom, that fit a width; at least one."""
    sizes = [text_inches(label) + HANDLE_INCHES for label in labels]
    fitting = [n for n in range(1, len(sizes) + 1) if sum(map(max, np.array_split(sizes, n))) <= width_inches]
    return max(fitting, default=1)


def legend_inches(labels: Sequence[str], width_inches: float) -> float:
    """Height of a legend on top of a figure."""
    rows = -(-len(labels) // legend_columns(labels, width_inches))
    return rows * (LINE_INCHES + 0.02) + 0.12


def add_legend(figure: Figure, handles: Sequence[Artist]) -> None:
    """Put a legend above everything."""
    columns = legend_columns([str(handle.get_label()) for handle in handles], figure.get_figwidth())
    figure.legend(handles=list(handles), loc="outside upper center", ncols=columns)


def add_footer(figure: Figure, lines: Sequence[str]) -> None:
    """Put small grey text below everything, one given line after the other, wrapped."""
    wrapped = footer_lines(lines, figure.get_figwidth())
    if wrapped:
        figure.supxlabel("\n".join(wrapped), x=0.02, ha="left", fontsize=SMALL, color=GREY)


def footer_lines(lines: Sequence[str], width_inches: float) -> list[str]:
    """The lines of a footer as they are broken."""
    return [part for line in lines for part in wrap(line, width_inches * 0.97)]


def message_figure(settings: FigureSettings, title: str, text: str) -> Figure:
    """A figure that says in words what is missing and how to get it."""
    lines = wrap(text, settings.width_inches * 0.9)
    figure = new_figure(settings.width_inches, 0.5 + LINE_INCHES * len(lines))
    figure.text(0.05, 1 - 0.15 / figure.get_figheight(), title, va="top", weight="bold", color=BLACK)
    figure.text(0.05, 1 - 0.34 / figure.get_figheight(), "\n".join(lines), va="top", fontsize=SMALL, linespacing=1.25)
    return figure


def by_parameters(frame: pd.DataFrame) -> list[str]:
    """Model names from few to many parameters; unknown numbers last, in order of appearance."""
    sizes = frame.groupby("model", sort=False)["parameters"].max()
    return [str(name) for name in sizes.sort_values(kind="stable", na_position="last").index]


def spread(positions: Sequence[float], widths: Sequence[float], high: float) -> list[float]:
    """Move sorted centres apart until labels of these widths do not overlap nor end beyond `high`."""
    centres = list(positions)
    for i in range(1, len(centres)):
        centres[i] = max(centres[i], centres[i - 1] + (widths[i - 1] + widths[i]) / 2)
    if centres:
        centres[-1] = min(centres[-1], high - widths[-1] / 2)
    for i in range(len(centres) - 2, -1, -1):
        centres[i] = min(centres[i], centres[i + 1] - (widths[i + 1] + widths[i]) / 2)
    return centres


def log_limits(values: Sequence[float], least: float) -> tuple[float, float]:
    """Limits of a log axis: values with a tenth of room, and high / low at least `least`."""
    low, high = min(values), max(values)
    room = max((high / low) ** 0.1, (least * low / high) ** 0.5, 1.15)
    return low / room, high * room


def log_axis(axes: Axes, name: Literal["x", "y"], limits: tuple[float, float]) -> None:
    """Make one axis (`x`, `y`) logarithmic, with plain numbers at 1, 2, 5 where there is room for them."""
    axis = axes.xaxis if name == "x" else axes.yaxis
    axes.set(**{f"{name}scale": "log", f"{name}lim": limits})
    few = limits[1] / limits[0] < 300
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if few else (1,), numticks=20))
    axis.set_minor_locator(LogLocator(subs=tuple(range(2, 10)), numticks=20))
    axis.set_major_formatter(FuncFormatter(lambda value, _: plain(value)))
    axis.set_minor_formatter(NullFormatter())
    axes.grid(visible=True, axis=name)


def plain(value: float) -> str:
    """A number of an axis without exponent; thousands apart by a thin space."""
    return f"{value:,.0f}".replace(",", "\N{THIN SPACE}") if value >= 10000 else f"{value:g}"


@dataclass(frozen=True, kw_only=True)
class Rows:
    """Horizontal slots: for each model one slot a series, models from top to bottom."""

    models: Sequence[str]
    series: Sequence[str]

    @property
    def inches(self) -> float:
        """Height of the axes."""
        return max(0.4, len(self.models) * (len(self.series) + GAP_SLOTS) * SLOT_INCHES)

    def y(self, model: str, series: str) -> float:
        """Position of one slot."""
        return self._top(model) + self.series.index(series)

    def _top(self, model: str) -> float:
        return self.models.index(model) * (len(self.series) + GAP_SLOTS)

    def draw(self, axes: Axes) -> None:
        """Name the models on the y axis and shade every second one."""
        edge, middle = 0.5 + GAP_SLOTS / 2, (len(self.series) - 1) / 2
        tops = [self._top(model) for model in self.models]
        for top in tops[1::2]:
            axes.axhspan(top - edge, top + len(self.series) - 1 + edge, color=PALE, linewidth=0, zorder=0)
        axes.set_yticks([top + middle for top in tops], self.models)
        axes.set_ylim(tops[-1] + len(self.series) - 1 + edge, -edge)
        axes.tick_params(axis="y", length=0)
