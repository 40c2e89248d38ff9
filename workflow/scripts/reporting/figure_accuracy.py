"""Test accuracy per epoch, one panel a model."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from reporting.layout import (
    LINE_INCHES,
    add_footer,
    add_legend,
    by_parameters,
    footer_lines,
    legend_inches,
    message_figure,
    wrap,
)
from reporting.notes import NO_RUN, absent_runs
from reporting.style import GREY, SMALL, FigureSettings, Series, new_figure, save, series_styles, styled
from reporting.tables import EPOCH_COLUMNS, IDENTITY, RUN_COLUMNS, known, read_table

PANEL_INCHES = 1.15
COLUMNS_OF = {1: 1, 3: 3}  # by number of panels; two otherwise
NO_EPOCH = (
    "No run has finished an epoch yet, so that no accuracy was measured. Raise budget_s of the device, or set it to "
    "null to train all epochs (config/paper.yaml does), and run again."
)


def plot_accuracy(*, runs: str, epochs: str, figures: str, png: str, svg: str) -> None:
    """Write the figure of test accuracies from runs.csv and epochs.csv, as PNG and SVG."""
    settings = FigureSettings.from_json(figures)
    tables = read_table(runs, RUN_COLUMNS), read_table(epochs, EPOCH_COLUMNS)
    with styled():
        save(draw_accuracy(*tables, settings), settings, png, svg)


def draw_accuracy(runs: pd.DataFrame, epochs: pd.DataFrame, settings: FigureSettings) -> Figure:
    """One panel for each model and recipe, one thick line a device (mean), one thin line a repeat if several."""
    measured = _accuracies(runs, epochs)
    if measured.empty:
        text = NO_EPOCH if (runs["status"] == "ok").any() else NO_RUN
        return message_figure(settings, "No accuracy to show", text)
    styles = series_styles(known(runs["device"]))
    panels = _panels(runs)
    handles, footer, width = _handles(styles), _footer(runs, measured), settings.width_inches
    columns = COLUMNS_OF.get(len(panels), 2)
    rows = -(-len(panels) // columns)
    figure = new_figure(width, _height(rows, handles, footer, width))
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    several = runs["recipe"].nunique() > 1
    for axes, (model, recipe) in zip(grid.flat, panels, strict=False):
        keep = [(frame["model"] == model) & (frame["recipe"] == recipe) for frame in (measured, runs)]
        _draw_panel(axes, measured[keep[0]], styles)
        _name_absent(axes, measured[keep[0]], runs[keep[1]], (width - 0.5) / columns * 0.95)
        axes.set_title(f"{model}, {recipe}" if several else model)
    _label(list(grid.flat), len(panels), columns)
    add_legend(figure, handles)
    add_footer(figure, footer)
    return figure


def _accuracies(runs: pd.DataFrame, epochs: pd.DataFrame) -> pd.DataFrame:
    """Complete epochs of the runs that ended well, in percent."""
    names = list(IDENTITY)
    ok = epochs.merge(runs.loc[runs["status"] == "ok", names], on=names)
    ok = ok[ok["test_accuracy"].notna()]
    return ok.assign(percent=ok["test_accuracy"] * 100)


def _panels(runs: pd.DataFrame) -> list[tuple[str, str]]:
    planned = set(zip(runs["model"], runs["recipe"], strict=True))
    every = [(model, recipe) for model in by_parameters(runs) for recipe in known(runs["recipe"])]
    return [panel for panel in every if panel in planned]


def _height(rows: int, handles: Sequence[Line2D], footer: Sequence[str], width: float) -> float:
    legend = legend_inches([str(handle.get_label()) for handle in handles], width)
    return rows * (PANEL_INCHES + 0.15) + legend + 0.3 + LINE_INCHES * len(footer_lines(footer, width))


def _handles(styles: dict[str, Series]) -> list[Line2D]:
    return [Line2D([], [], label=name, **style.curve()) for name, style in styles.items()]


def _footer(runs: pd.DataFrame, measured: pd.DataFrame) -> list[str]:
    several = measured.groupby(["recipe", "model", "device"])["repeat"].nunique().max() > 1
    lines = ["Thin lines: each process; thick: their mean."] if several else []
    return [*lines, *absent_runs(runs)]


def _draw_panel(axes: Axes, measured: pd.DataFrame, styles: dict[str, Series]) -> None:
    axes.grid(visible=True)
    for index, (device, style) in enumerate(styles.items()):
        part = measured[measured["device"] == device]
        if not part.empty:
            _draw_device(axes, part, style, (index, len(styles)))


def _draw_device(axes: Axes, measured: pd.DataFrame, style: Series, turn: tuple[int, int]) -> None:
    """Equal curves do not hide each other: devices take turns in marking epochs, or with few epochs shrink in turn."""
    repeats = [rows for _, rows in measured.groupby("repeat")]
    if len(repeats) > 1:
        for rows in repeats:
            axes.plot(rows["epoch"], rows["percent"], color=style.colour, linewidth=0.5, alpha=0.45)
    mean = measured.groupby("epoch")["percent"].mean()
    few = len(mean) <= turn[1]
    marks = {"markersize": 3 + 1.4 * (turn[1] - 1 - turn[0]), "markevery": 1} if few else {"markevery": turn}
    axes.plot(mean.index, mean, **style.curve(**{"markersize": 3, **marks}))


def _name_absent(axes: Axes, measured: pd.DataFrame, runs: pd.DataFrame, width: float) -> None:
    absent = [device for device in known(runs["device"]) if device not in set(measured["device"])]
    if absent:
        text = "\n".join(["no full epoch:", *wrap(", ".join(absent), width)])
        axes.text(0.97, 0.04, text, transform=axes.transAxes, ha="right", va="bottom", fontsize=SMALL, color=GREY)


def _label(cells: Sequence[Axes], panels: int, columns: int) -> None:
    for axes in cells[panels:]:
        axes.set_axis_off()
    for index, axes in enumerate(cells[:panels]):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
        if index % columns == 0:
            axes.set_ylabel("test accuracy (%)")
        if index + columns >= panels:
            axes.tick_params(axis="x", labelbottom=True)
        if index + columns >= len(cells):
            axes.set_xlabel("epoch")
