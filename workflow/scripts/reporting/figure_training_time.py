"""Training time by model and device."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reporting.layout import (
    HANDLE_INCHES,
    Rows,
    by_parameters,
    log_axis,
    log_limits,
    message_figure,
    rows_figure,
    rows_inches,
)
from reporting.lettering import short_names, text_inches
from reporting.notes import (
    NO_RUN,
    PREDICTED,
    SPANNED,
    absent_runs,
    count_line,
    disturbed_devices,
    machine_lines,
)
from reporting.statistics import geometric_mean
from reporting.style import GREY, SMALL, THIN, FigureSettings, Series, hollow_handle, save, series_styles, styled
from reporting.tables import RUN_COLUMNS, known, read_table

STATUS_INCHES = 1.9  # for the name of a device and why it has no time
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
    styles, width = series_styles(known(runs["device"])), settings.width_inches
    panels = {str(recipe): rows for recipe, rows in runs.groupby("recipe", sort=False)}
    models = by_parameters(runs)  # of all panels: a model without a run there has no number of parameters
    layouts = {name: Rows(models=models, series=known(rows["device"])) for name, rows in panels.items()}
    label = f"training time of {_epochs(runs)} (s)"
    figure, grid = rows_figure(layouts, label, _handles(runs, styles, width), _footer(runs), width)
    log_axis(grid[0], "x", log_limits(_extent(runs), 20), rows_inches(layouts.values(), width))
    for axes, (recipe, rows) in zip(grid, layouts.items(), strict=True):
        axes.grid(visible=True, axis="x")
        _draw_panel(axes, rows, panels[recipe], styles)
    return figure


def _epochs(runs: pd.DataFrame) -> str:
    epochs = known(runs["epochs"])
    return f"{epochs[0]:g} epochs" if len(epochs) == 1 else "all epochs"


def _extent(runs: pd.DataFrame) -> list[float]:
    ok = runs[runs["seconds"].notna()]
    return [*ok["seconds"], *ok["projected_train_low_s"].dropna(), *ok["projected_train_high_s"].dropna()]


def _handles(runs: pd.DataFrame, styles: dict[str, Series], width: float) -> list[Line2D]:
    names = short_names(list(styles), width - HANDLE_INCHES)
    timed = runs[runs["seconds"].notna()]
    hollow_devices = set(timed["device"]) - set(timed["device"][~_estimated(timed)])
    handles = [
        Line2D([], [], label=names[device], **style.points(hollow=device in hollow_devices))
        for device, style in styles.items()
    ]
    return [*handles, hollow_handle()] if _estimated(runs).any() else handles


def _estimated(runs: pd.DataFrame) -> pd.Series:
    return runs["seconds"].notna() & (runs["mode"] == "estimated")


def _footer(runs: pd.DataFrame) -> list[str]:
    names = {str(device): known(rows["device_name"]) for device, rows in runs.groupby("device", sort=False)}
    counts = runs[runs["seconds"].notna()].groupby(["mode", "recipe", "model", "device"]).size()
    projected = counts[counts.index.get_level_values("mode") == "estimated"]
    ticks = ["Ticks: each process; marks: their geometric mean."] if counts.max() > 1 else []
    predicted = [PREDICTED if projected.max() == 1 else SPANNED] if len(projected) else []
    doubts = [*disturbed_devices(runs), *absent_runs(runs)]
    return [*machine_lines(names), *ticks, count_line(counts, "a mark"), *predicted, *doubts]


def _draw_panel(axes: Axes, rows: Rows, runs: pd.DataFrame, styles: dict[str, Series]) -> None:
    rows.draw(axes)
    for (model, device), group in runs.groupby(["model", "device"], sort=False):
        y = rows.y(str(model), str(device))
        timed = group[group["seconds"].notna()]
        if timed.empty:
            _name_status(axes, y, str(device), known(group["status"]))
        for mode, part in timed.groupby("mode", sort=False):
            _draw_slot(axes, y, part, styles[str(device)], hollow=mode == "estimated")


def _name_status(axes: Axes, y: float, device: str, statuses: list[str]) -> None:
    status = f": {', '.join(statuses)}"
    name = short_names([device], STATUS_INCHES - text_inches(status))[device]
    axes.text(0.01, y, name + status, transform=axes.get_yaxis_transform(), va="center", fontsize=SMALL, color=GREY)


def _draw_slot(axes: Axes, y: float, runs: pd.DataFrame, style: Series, *, hollow: bool) -> None:
    seconds = list(runs["seconds"])
    ends = runs[["projected_train_low_s", "projected_train_high_s"]].dropna()
    if hollow and len(ends):
        axes.hlines(y, ends.min().iloc[0], ends.max().iloc[1], color=style.colour, linewidth=THIN)
    if len(seconds) > 1:
        axes.plot(seconds, [y + REPEAT_OFFSET] * len(seconds), **style.ticks())
    axes.plot(geometric_mean(seconds), y, **style.points(hollow=hollow))
