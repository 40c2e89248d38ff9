"""Places for text and points: legends, footers, rows and log axes that stay readable with many models."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter

from reporting.lettering import LINE_INCHES, short_names, shortened, text_inches, wrap
from reporting.style import BLACK, GREY, NORMAL, PALE, SMALL, FigureSettings, new_figure
from reporting.tables import known

HANDLE_INCHES = 0.36  # handle, gap and space between columns of a legend
SLOT_INCHES = 0.135
GAP_SLOTS = 0.7  # between two models, in slots
NAME_INCHES = 1.0  # the longest name of a model beside its row
SIDE_INCHES = 0.2  # beside the axes of rows, without the names
TICKS = (((1, 2, 5), 1), ((1, 3), 1), ((1,), 1), ((1,), 2), ((1,), 4))  # steps in a decade, distance of decades
TICK_GAP_INCHES = 0.06
Limits = tuple[float, float]


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
    return [part for line in lines for part in wrap(line, width_inches * 0.95)]


def room_inches(handles: Sequence[Artist], footer: Sequence[str], width_inches: float) -> float:
    """Height of legend and footer together."""
    legend = legend_inches([str(handle.get_label()) for handle in handles], width_inches)
    return legend + LINE_INCHES * len(footer_lines(footer, width_inches))


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


def log_limits(values: Sequence[float], least: float) -> Limits:
    """Limits of a log axis: values with a tenth of room, and high / low at least `least`."""
    low, high = min(values), max(values)
    room = max((high / low) ** 0.1, (least * low / high) ** 0.5, 1.15)
    return low / room, high * room


def log_axis(axes: Axes, name: Literal["x", "y"], limits: Limits, inches: float) -> None:
    """Make one axis (`x`, `y`) of a length in inches logarithmic, with as many plain numbers as have room."""
    axis = axes.xaxis if name == "x" else axes.yaxis
    axes.set(**{f"{name}scale": "log", f"{name}lim": limits})
    axis.set_major_locator(FixedLocator(log_ticks(limits, inches, along=name == "x")))
    axis.set_minor_locator(LogLocator(subs=tuple(range(2, 10)), numticks=20))
    axis.set_major_formatter(FuncFormatter(lambda value, _: plain(value)))
    axis.set_minor_formatter(NullFormatter())
    axes.grid(visible=True, axis=name)


def log_ticks(limits: Limits, inches: float, *, along: bool) -> list[float]:
    """Numbers for a log axis: 1, 2, 5 of each decade, or fewer so that neighbours do not touch.

    Args:
        limits: of the axis.
        inches: its length.
        along: the numbers stand beside each other, not above each other.
    """
    choices = (_ticks(limits, steps, stride) for steps, stride in TICKS)
    return next((ticks for ticks in choices if _apart(ticks, limits, inches, along)), [])


def _ticks(limits: Limits, steps: Sequence[int], stride: int) -> list[float]:
    decades = range(math.floor(math.log10(limits[0])), math.ceil(math.log10(limits[1])) + 1)
    ticks = (step * 10.0**decade for decade in decades if decade % stride == 0 for step in steps)
    return [tick for tick in ticks if limits[0] <= tick <= limits[1]]


def _apart(ticks: Sequence[float], limits: Limits, inches: float, along: bool) -> bool:
    scale = inches / math.log(limits[1] / limits[0])
    sizes = [text_inches(plain(tick)) if along else LINE_INCHES for tick in ticks]
    gaps = (math.log(b / a) * scale - (p + q) / 2 for (a, p), (b, q) in pairwise(zip(ticks, sizes, strict=True)))
    return all(gap >= TICK_GAP_INCHES for gap in gaps)


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

    @property
    def names(self) -> list[str]:
        """The models as they are written, long names shortened."""
        return list(short_names(self.models, NAME_INCHES).values())

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
        axes.set_yticks([top + middle for top in tops], self.names)
        axes.set_ylim(tops[-1] + len(self.series) - 1 + edge, -edge)
        axes.tick_params(axis="y", length=0)


def rows_inches(layouts: Iterable[Rows], width_inches: float) -> float:
    """Width of the axes beside the names of the models."""
    names = (text_inches(name) for rows in layouts for name in rows.names)
    return width_inches - SIDE_INCHES - max(names)


def rows_figure(
    layouts: Mapping[str, Rows], label: str, handles: Sequence[Artist], footer: Sequence[str], width_inches: float
) -> tuple[Figure, list[Axes]]:
    """A figure with one panel of rows a recipe, named where there are several, and a label below the last one."""
    inches = rows_inches(layouts.values(), width_inches)
    titles = recipe_titles(list(layouts), inches)
    names = [*titles.values(), *(name for rows in layouts.values() for name in rows.names)]
    footer = [*footer, *shortened([*names, *(str(handle.get_label()) for handle in handles)])]
    heights = [rows.inches for rows in layouts.values()]
    label = label if text_inches(label, NORMAL) <= inches else label.replace(" (", "\n(")
    room = room_inches(handles, footer, width_inches) + 0.33 + LINE_INCHES * len(label.splitlines())
    figure = new_figure(width_inches, sum(heights) + (0.2 * len(layouts) if titles else 0) + room)
    grid = figure.subplots(len(layouts), sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    for axes, (recipe, rows) in zip(grid, layouts.items(), strict=True):
        rows.draw(axes)
        axes.set_title(titles.get(recipe, ""))
    grid[-1].set_xlabel(label)
    add_legend(figure, handles)
    add_footer(figure, footer)
    return figure, list(grid)


def recipe_titles(recipes: Sequence[str], width_inches: float) -> dict[str, str]:
    """The title of each recipe's panel; none where there is one recipe only."""
    if len(recipes) < 2:
        return {}
    short = short_names(recipes, width_inches - text_inches("recipe ", NORMAL), NORMAL)
    return {recipe: f"recipe {name}" for recipe, name in short.items()}


def two_sided(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows that have both a CPU and a GPU device; a study without one side has rows that only say so."""
    return frame[frame["cpu_device"].notna() & frame["gpu_device"].notna()]


def with_pairs(frame: pd.DataFrame, form: str, width_inches: float) -> pd.DataFrame:
    """With a column `pair` that fits a legend: the names of the devices in a form such as `{cpu} / {gpu}`."""
    room = (width_inches - HANDLE_INCHES - text_inches(form.format(cpu="", gpu=""))) / 2
    short = short_names(known([*frame["gpu_device"], *frame["cpu_device"]]), room)
    devices = zip(frame["gpu_device"], frame["cpu_device"], strict=True)
    return frame.assign(pair=[form.format(cpu=short[cpu], gpu=short[gpu]) for gpu, cpu in devices])
