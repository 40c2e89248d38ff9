"""Parity of test accuracy: GPU minus CPU, with interval and margin."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from reporting.compare import NOT_RUN
from reporting.layout import Rows, by_parameters, message_figure, rows_figure, two_sided, with_pairs
from reporting.notes import NO_BARS, absent_side, count_line, interval_line, reasons
from reporting.statistics import StatisticsSettings
from reporting.style import BAND, GREY, SMALL, THICK, FigureSettings, Series, save, series_styles, styled
from reporting.tables import PARITY_COLUMNS, RUN_COLUMNS, known, read_table

POINTS = 100  # percentage points in a share
NO_ACCURACY = (
    "No model was trained to the end on both devices, so that accuracies cannot be compared. Set budget_s of the "
    "devices to null to train all epochs (config/paper.yaml does), and run again. From results/tables/parity.csv:"
)


def plot_parity(*, parity: str, runs: str, statistics: str, figures: str, png: str, svg: str) -> None:
    """Write the figure of accuracy parity from parity.csv, as PNG and SVG; runs.csv tells which side is absent."""
    settings = FigureSettings.from_json(figures)
    tables = read_table(parity, PARITY_COLUMNS), read_table(runs, RUN_COLUMNS)
    with styled():
        save(draw_parity(*tables, StatisticsSettings.from_json(statistics), settings), settings, png, svg)


def draw_parity(
    parity: pd.DataFrame, runs: pd.DataFrame, statistics: StatisticsSettings, settings: FigureSettings
) -> Figure:
    """One panel a recipe, one row a model, one slot a pair of devices, the margin as a band, in percentage points."""
    parity = two_sided(parity)
    if parity["difference"].isna().all():
        return message_figure(settings, "No accuracy parity to show", _absence(parity, runs))
    parity = with_pairs(parity, "{gpu} minus {cpu}", settings.width_inches)
    styles = series_styles(known(parity["pair"]))
    panels = {str(recipe): rows for recipe, rows in parity.groupby("recipe", sort=False)}
    models = by_parameters(parity)  # of all panels: a model without a run there has no number of parameters
    layouts = {name: Rows(models=models, series=known(rows["pair"])) for name, rows in panels.items()}
    label = "test accuracy, GPU minus CPU (percentage points)"
    footer = _footer(parity, statistics.confidence)
    figure, grid = rows_figure(layouts, label, _handles(styles, parity), footer, settings.width_inches)
    for axes, (recipe, rows) in zip(grid, layouts.items(), strict=True):
        _draw_panel(axes, rows, panels[recipe], styles)
    reach = _reach(parity)
    grid[0].set(xlim=(-reach, reach))
    return figure


def _absence(parity: pd.DataFrame, runs: pd.DataFrame) -> str:
    if parity.empty:
        return absent_side(runs, "compare accuracies")
    return f"{NO_ACCURACY} {reasons(zip(parity['model'], parity['note'], strict=True))}"


def _reach(parity: pd.DataFrame) -> float:
    columns = parity[["difference", "equivalence_low", "equivalence_high", "margin"]].abs()
    return float(columns.to_numpy(dtype=float, na_value=0).max()) * POINTS * 1.15


def _handles(styles: dict[str, Series], parity: pd.DataFrame) -> list[Line2D | Patch]:
    margin = known(parity["margin"])[0] * POINTS
    points = [Line2D([], [], label=pair, **style.points()) for pair, style in styles.items()]
    return [*points, Patch(color=BAND, label=f"margin \N{PLUS-MINUS SIGN}{margin:g} point{'' if margin == 1 else 's'}")]


def _footer(parity: pd.DataFrame, confidence: float) -> list[str]:
    """The interval that decides on equality misses alpha on each side, so that it holds 1 - 2 alpha."""
    shown = parity[parity["difference"].notna()]
    barred = shown["equivalence_low"].notna()
    bars = [interval_line(2 * confidence - 1, "equivalence test")] if barred.any() else []
    return [*bars, *([] if barred.all() else [NO_BARS]), count_line([*shown["n_cpu"], *shown["n_gpu"]], "a side")]


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
    low, middle, high = (row[name] * POINTS for name in ("equivalence_low", "difference", "equivalence_high"))
    axes.hlines(y, low, high, color=style.colour, linewidth=THICK)
    axes.plot(middle, y, **style.points())
