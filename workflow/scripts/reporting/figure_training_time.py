"""Training time by model and device."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reporting.layout import (
    LINE_INCHES,
    Rows,
    add_footer,
    add_legend,
    by_parameters,
    footer_lines,
    legend_inches,
    log_axis,
    log_limits,
    message_figure,
)
from reporting.notes import NO_RUN, absent_runs, disturbed_runs, machine_lines
from reporting.statistics import geometric_mean
from reporting.style import GREY, SMALL, FigureSettings, Series, hollow_handle, new_figure, save, series_styles, styled
from reporting.tables import RUN_COLUMNS, known, read_table

REPEAT_OFFSET = 0.42  # slots below the mean, so that a wide mark hides no repeat


def plot_training_time(*, runs: str, figures: str, png: str, svg: str) -> None:
    """Write the figure of training times from runs.csv, as PNG and SVG."""
    settings = FigureSettings.from_json(figures)
    with styled():
        save(draw_training_time(read_table(runs, RUN_COLUMNS), settings), settings, png, svg)


def draw_training_time(runs: pd.DataFrame, settings: FigureSettings) -> Figure:
    """One panel a recipe, one row a model, one slot a device; hollow where estimated, small points each repeat."""
    runs = runs.assign(seconds=runs["train_s"].fillna(runs["projected_train_s"]))
    runs.loc[runs["status"] != "ok", "seconds"] = None
    if runs["seconds"].isna().all():
        return message_figure(settings, "No training time to show", NO_RUN)
    styles = series_styles(known(runs["device"]))
    panels = {str(recipe): rows for recipe, rows in runs.groupby("recipe", sort=False)}
    layouts = [Rows(models=by_parameters(rows), series=known(rows["device"])) for rows in panels.values()]
    footer, handles = _footer(runs), _handles(runs, styles)
    figure = new_figure(settings.width_inches, _height(layouts, handles, footer, settings.width_inches))
    grid = figure.subplots(len(panels), sharex=True, squeeze=False, height_ratios=[rows.inches for rows in layouts])
    for axes, rows, (recipe, part) in zip(grid[:, 0], layouts, panels.items(), strict=True):
        _draw_panel(axes, rows, part, styles)
        axes.set_title(f"recipe {recipe}" if len(panels) > 1 else "")
    log_axis(grid[0, 0], "x", log_limits(_extent(runs), 20))
    for axes in grid[:, 0]:
        axes.grid(visible=True, axis="x")
    grid[-1, 0].set_xlabel(f"training time of {_epochs(runs)} (s)")
    add_legend(figure, handles)
    add_footer(figure, footer)
    return figure


def _epochs(runs: pd.DataFrame) -> str:
    epochs = known(runs["epochs"])
    return f"{epochs[0]:g} epochs" if len(epochs) == 1 else "all epochs"


def _extent(runs: pd.DataFrame) -> list[float]:
    ok = runs[runs["seconds"].notna()]
    return [*ok["seconds"], *ok["projected_train_low_s"].dropna(), *ok["projected_train_high_s"].dropna()]


def _height(layouts: Sequence[Rows], handles: Sequence[Line2D], footer: Sequence[str], width: float) -> float:
    titles = 0.2 * len(layouts) if len(layouts) > 1 else 0
    legend = legend_inches([str(handle.get_label()) for handle in handles], width)
    return (
        sum(rows.inches for rows in layouts) + titles + legend + 0.45 + LINE_INCHES * len(footer_lines(footer, width))
    )


def _handles(runs: pd.DataFrame, styles: dict[str, Series]) -> list[Line2D]:
    handles = [Line2D([], [], label=device, **style.points()) for device, style in styles.items()]
    return [*handles, hollow_handle()] if (runs["mode"] == "estimated").any() else handles


def _footer(runs: pd.DataFrame) -> list[str]:
    names = {str(device): known(rows["device_name"]) for device, rows in runs.groupby("device", sort=False)}
    several = runs[runs["seconds"].notna()].groupby(["recipe", "model", "device"]).size().max() > 1
    dots = ["Ticks: each process; marks: their geometric mean."] if several else []
    bars = ["Bars: bounds of the projection."] if (runs["mode"] == "estimated").any() else []
    return [*machine_lines(names), *dots, *bars, *_disturbed(runs), *absent_runs(runs)]


def _disturbed(runs: pd.DataFrame) -> list[str]:
    """One line on the devices with runs that other work disturbed; the table names the windows."""
    ok = runs[runs["status"] == "ok"]
    found = {str(device): disturbed_runs(rows["disturbed"]) for device, rows in ok.groupby("device", sort=False)}
    named = [f"{device} ({count})" for device, count in found.items() if count]
    return [f"Disturbed by other work: {', '.join(named)}."] if named else []


def _draw_panel(axes: Axes, rows: Rows, runs: pd.DataFrame, styles: dict[str, Series]) -> None:
    rows.draw(axes)
    for (model, device), group in runs.groupby(["model", "device"], sort=False):
        y = rows.y(str(model), str(device))
        timed = group[group["seconds"].notna()]
        if timed.empty:
            text = f"{device}: {', '.join(known(group['status']))}"
            axes.text(0.01, y, text, transform=axes.get_yaxis_transform(), va="center", fontsize=SMALL, color=GREY)
        for mode, part in timed.groupby("mode", sort=False):
            _draw_slot(axes, y, part, styles[str(device)], hollow=mode == "estimated")


def _draw_slot(axes: Axes, y: float, runs: pd.DataFrame, style: Series, *, hollow: bool) -> None:
    seconds = list(runs["seconds"])
    bounds = runs[["projected_train_low_s", "projected_train_high_s"]].dropna()
    if hollow and len(bounds):
        axes.hlines(y, bounds.min().iloc[0], bounds.max().iloc[1], color=style.colour, linewidth=0.9)
    if len(seconds) > 1:
        axes.plot(seconds, [y + REPEAT_OFFSET] * len(seconds), **style.ticks())
    axes.plot(geometric_mean(seconds), y, **style.points(hollow=hollow))
