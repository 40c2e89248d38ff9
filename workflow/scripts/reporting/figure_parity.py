"""Parity of test accuracy: GPU minus CPU, with interval and margin."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from reporting.compare import NOT_RUN
from reporting.layout import (
    LINE_INCHES,
    Rows,
    add_footer,
    add_legend,
    by_parameters,
    footer_lines,
    legend_inches,
    message_figure,
)
from reporting.notes import GET_GPU, interval_lines, reasons
from reporting.style import BAND, GREY, SMALL, FigureSettings, Series, new_figure, save, series_styles, styled
from reporting.tables import PARITY_COLUMNS, known, read_table

POINTS = 100  # percentage points in a share
NO_GPU = f"There is no GPU run in this study. To compare accuracies, {GET_GPU}"
NO_ACCURACY = (
    "No model was trained to the end on both devices, so that accuracies cannot be compared. Set budget_s of the "
    "devices to null to train all epochs (config/paper.yaml does), and run again. From results/tables/parity.csv:"
)


def plot_parity(*, parity: str, figures: str, png: str, svg: str) -> None:
    """Write the figure of accuracy parity from parity.csv, as PNG and SVG."""
    settings = FigureSettings.from_json(figures)
    with styled():
        save(draw_parity(read_table(parity, PARITY_COLUMNS), settings), settings, png, svg)


def draw_parity(parity: pd.DataFrame, settings: FigureSettings) -> Figure:
    """One panel a recipe, one row a model, one slot a pair of devices, the margin as a band, in percentage points."""
    if parity["difference"].isna().all():
        return message_figure(settings, "No accuracy parity to show", _absence(parity))
    parity = parity.assign(pair=parity["gpu_device"] + " minus " + parity["cpu_device"])
    styles = series_styles(known(parity["pair"]))
    panels = {str(recipe): rows for recipe, rows in parity.groupby("recipe", sort=False)}
    layouts = [Rows(models=by_parameters(rows), series=known(rows["pair"])) for rows in panels.values()]
    handles, footer, width = _handles(styles, parity), _footer(parity), settings.width_inches
    figure = new_figure(width, _height(layouts, handles, footer, width))
    grid = figure.subplots(len(panels), sharex=True, squeeze=False, height_ratios=[rows.inches for rows in layouts])
    for axes, rows, (recipe, part) in zip(grid[:, 0], layouts, panels.items(), strict=True):
        _draw_panel(axes, rows, part, styles)
        axes.set_title(f"recipe {recipe}" if len(panels) > 1 else "")
    reach = _reach(parity)
    grid[-1, 0].set(xlabel="test accuracy, GPU minus CPU (percentage points)", xlim=(-reach, reach))
    add_legend(figure, handles)
    add_footer(figure, footer)
    return figure


def _absence(parity: pd.DataFrame) -> str:
    if parity.empty:
        return NO_GPU
    return f"{NO_ACCURACY} {reasons(zip(parity['model'], parity['note'], strict=True))}"


def _reach(parity: pd.DataFrame) -> float:
    columns = parity[["difference", "difference_low", "difference_high", "margin"]].abs()
    return float(columns.to_numpy(dtype=float, na_value=0).max()) * POINTS * 1.15


def _height(layouts: Sequence[Rows], handles: Sequence[Line2D | Patch], footer: Sequence[str], width: float) -> float:
    titles = 0.2 * len(layouts) if len(layouts) > 1 else 0
    legend = legend_inches([str(handle.get_label()) for handle in handles], width)
    return (
        sum(rows.inches for rows in layouts) + titles + legend + 0.45 + LINE_INCHES * len(footer_lines(footer, width))
    )


def _handles(styles: dict[str, Series], parity: pd.DataFrame) -> list[Line2D | Patch]:
    margin = known(parity["margin"])[0] * POINTS
    points = [Line2D([], [], label=pair, **style.points()) for pair, style in styles.items()]
    return [*points, Patch(color=BAND, label=f"margin \N{PLUS-MINUS SIGN}{margin:g}")]


def _footer(parity: pd.DataFrame) -> list[str]:
    return interval_lines(parity["difference"], parity["difference_low"])


def _draw_panel(axes: Axes, rows: Rows, parity: pd.DataFrame, styles: dict[str, Series]) -> None:
    rows.draw(axes)
    margin = known(parity["margin"])[0] * POINTS
    axes.axvspan(-margin, margin, color=BAND, linewidth=0, zorder=0.5)
    axes.axvline(0, color=GREY, linewidth=0.8)
    axes.grid(visible=True, axis="x")
    for row in parity.to_dict("records"):
        _draw_slot(axes, rows.y(row["model"], row["pair"]), row, styles[row["pair"]])


def _draw_slot(axes: Axes, y: float, row: Mapping[Any, Any], style: Series) -> None:
    if pd.isna(row["difference"]):
        text = "not run" if row["verdict"] == NOT_RUN else "refused"
        axes.text(0.01, y, text, transform=axes.get_yaxis_transform(), va="center", fontsize=SMALL, color=GREY)
        return
    low, middle, high = (row[name] * POINTS for name in ("difference_low", "difference", "difference_high"))
    axes.hlines(y, low, high, color=style.colour, linewidth=1)
    axes.plot(middle, y, **style.points())
