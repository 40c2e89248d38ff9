"""Speed-ups against the number of parameters, log-log."""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import ScaledTranslation, Transform

from reporting.layout import add_footer, add_legend, log_axis, log_limits, room_inches, spread
from reporting.lettering import LINE_INCHES, POINTS_PER_INCH, short_names, shortened, text_inches
from reporting.published import Published
from reporting.speedup_marks import EQUAL, Content, draw_marks, extent, same_size, study_look
from reporting.style import BLACK, GREY, MARK, NORMAL, SMALL, Series, new_figure
from reporting.tables import known

MILLION = 1e6
LINES = "Lines join models of one family."
PANEL_INCHES = 1.75
AXES_INCHES = 1.6  # height of the axes in a panel
SIDE_INCHES = 0.6  # beside the axes: label and numbers
NAME_INCHES = 0.8  # the longest name of a model
LEAST_SPAN = 20  # of the axis of parameters, highest over lowest
STEP = 2.0  # points between the marks of two pairs of one model
MOST_PAIRS = 5  # the first and the last are 8 points apart


def draw_scatter(content: Content) -> Figure:
    """One panel a recipe; lines join one family only; the study's points in black in every panel."""
    shown, published, width, handles = content.shown, content.published, content.width, content.handles
    panels, labels = list(shown.groupby("recipe", sort=False)), _labels(shown, published)
    names = [*labels, *(str(handle.get_label()) for handle in handles)]
    footer = [*content.footer, LINES, *_moved(shown), *shortened(names)]
    room = room_inches(handles, footer, width) + _names_inches(labels, width) + 0.6
    figure = new_figure(width, len(panels) * PANEL_INCHES + room)
    grid = figure.subplots(len(panels), sharex=True, sharey=True, squeeze=False)[:, 0]
    _scale(grid[0], shown, published, width)
    for axes, (_, part), label in zip(grid, panels, _axis_labels([str(name) for name, _ in panels]), strict=True):
        _draw_panel(axes, part, content.styles, published)
        axes.set_ylabel(label)
    grid[-1].set_xlabel("parameters (millions)")
    _name_models(grid[0], labels, width - SIDE_INCHES)
    add_legend(figure, handles)
    add_footer(figure, footer)
    return figure


def crowded(shown: pd.DataFrame, published: Published, width: float) -> bool:
    """Whether pairs or models are so many, or models so close, that marks or names would merge."""
    pairs = shown["pair"].nunique()
    sizes = list(model_sizes(shown, published).values())
    low, high = _size_limits(shown, published)
    decade = (width - SIDE_INCHES) / math.log10(high / low)
    apart = (MARK + (pairs - 1) * STEP) / POINTS_PER_INCH
    close = any(math.log10(b / a) * decade < apart for a, b in pairwise(sizes))
    return pairs > MOST_PAIRS or close or len(sizes) * LINE_INCHES > width - SIDE_INCHES


def model_sizes(shown: pd.DataFrame, published: Published) -> dict[str, float]:
    """Model name to millions of parameters, from small to large; the study's model apart where it has another size."""
    ours = {str(name): float(size) for name, size in shown.groupby("model")["millions"].max().items()}
    theirs = {
        name if name not in ours else f"{name} (study)": model.parameters / MILLION
        for name, model in ((model.name, model) for model in published.models.values())
        if name not in ours or not same_size(ours[name] * MILLION, model)
    }
    return dict(sorted((ours | theirs).items(), key=lambda item: item[1]))


def _labels(shown: pd.DataFrame, published: Published) -> dict[str, float]:
    sizes = model_sizes(shown, published)
    names = short_names(list(sizes), NAME_INCHES)
    return {names[name]: size for name, size in sizes.items()}


def _names_inches(labels: dict[str, float], width: float) -> float:
    return LINE_INCHES if _fit(labels, width - SIDE_INCHES) else max(map(text_inches, labels))


def _fit(labels: dict[str, float], width: float) -> bool:
    return sum(text_inches(f"{label}  ") for label in labels) <= width


def _axis_labels(recipes: Sequence[str]) -> list[str]:
    label = "speed-up, CPU / GPU time"
    if len(recipes) == 1:
        return [label]
    names = short_names(recipes, AXES_INCHES - text_inches("recipe ", NORMAL), NORMAL)
    return [f"recipe {name}\n{label}" for name in names.values()]


def _shifts(pairs: int) -> list[float]:
    """Points by which the marks of each pair are moved sideways."""
    return [STEP * (index - (pairs - 1) / 2) for index in range(pairs)]


def _moved(shown: pd.DataFrame) -> list[str]:
    most = _shifts(shown["pair"].nunique())[-1]
    points = "1 point" if most == 1 else f"{most:g} points"
    return [f"Pairs of one model are moved apart, by up to {points} sideways."] if most else []


def _size_limits(shown: pd.DataFrame, published: Published) -> tuple[float, float]:
    return log_limits(
        [*shown["millions"], *(model.parameters / MILLION for model in published.models.values())], LEAST_SPAN
    )


def _scale(axes: Axes, shown: pd.DataFrame, published: Published, width: float) -> None:
    log_axis(axes, "x", _size_limits(shown, published), width - SIDE_INCHES)
    ratios = [*extent(shown), *(model.recomputed_ratio for model in published.models.values())]
    log_axis(axes, "y", log_limits(ratios, 5), AXES_INCHES)


def _draw_panel(axes: Axes, rows: pd.DataFrame, styles: dict[str, Series], published: Published) -> None:
    axes.axhline(1, **EQUAL)
    axes.grid(visible=True)
    _draw_study(axes, published)
    pairs = known(rows["pair"])
    for pair, points in zip(pairs, _shifts(len(pairs)), strict=True):
        part = rows[rows["pair"] == pair].sort_values("millions")
        moved = _moved_by(axes, points)
        _draw_families(axes, part, color=styles[pair].colour, linestyle=styles[pair].line, transform=moved)
        draw_marks(axes, part["millions"], part, styles[pair], upright=True, transform=moved)


def _moved_by(axes: Axes, points: float) -> Transform:
    """The data's place, moved sideways on the page."""
    return axes.transData + ScaledTranslation(points / POINTS_PER_INCH, 0, axes.figure.dpi_scale_trans)


def _draw_study(axes: Axes, published: Published) -> None:
    models = published.models.values()
    rows = [(model.family, model.parameters / MILLION, model.recomputed_ratio) for model in models]
    study = pd.DataFrame(rows, columns=["family", "millions", "speedup"])
    _draw_families(axes, study, color=BLACK, linestyle=":")
    axes.plot(study["millions"], study["speedup"], **study_look())


def _draw_families(axes: Axes, rows: pd.DataFrame, **look: Any) -> None:
    for _, family in rows.groupby("family"):
        if len(family) > 1:
            axes.plot(family["millions"], family["speedup"], linewidth=0.8, alpha=0.8, **look)


def _name_models(axes: Axes, labels: dict[str, float], width: float) -> None:
    """Name the models above the axes, moved apart, each with a thin line to its number of parameters."""
    flat = _fit(labels, width)
    widths = [(text_inches(f"{label} ") if flat else LINE_INCHES) / width for label in labels]
    places = list(_fractions(axes, list(labels.values())))
    transform = axes.transAxes
    for label, x, centre in zip(labels, places, spread(places, widths, 1.0), strict=True):
        axes.plot([x, x, centre], [0.98, 1.0, 1.05], transform=transform, color=GREY, linewidth=0.5, clip_on=False)
        look: dict[str, Any] = {"ha": "center", "va": "bottom", "fontsize": SMALL, "rotation": 0 if flat else 90}
        axes.text(centre, 1.06, label, transform=transform, **look)


def _fractions(axes: Axes, sizes: Sequence[float]) -> Iterator[float]:
    low, high = axes.get_xlim()
    scale = axes.xaxis.get_transform()
    start, end = scale.transform([low, high])
    return ((value - start) / (end - start) for value in scale.transform(list(sizes)))
