"""Test accuracy per epoch, one panel a model."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from reporting.layout import HANDLE_INCHES, add_footer, add_legend, by_parameters, message_figure, room_inches
from reporting.lettering import LINE_INCHES, short_names, shortened, text_inches
from reporting.notes import NO_RUN, absent_runs, count_line
from reporting.style import NORMAL, FigureSettings, Series, new_figure, save, series_styles, styled
from reporting.tables import EPOCH_COLUMNS, IDENTITY, RUN_COLUMNS, known, read_table

PANEL_INCHES = 1.15
SIDE_INCHES, GAP_INCHES = 0.5, 0.12  # beside all panels, and between two
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
    styles, width = series_styles(known(runs["device"])), settings.width_inches
    panels = _panels(runs)
    columns = _columns(panels)
    inches = (width - SIDE_INCHES) / columns - GAP_INCHES
    titles = _titles(panels, inches)
    footer = [*_footer(runs, measured), *_without_epoch(runs, measured, titles, width)]
    figure, cells = _figure(titles, columns, _handles(styles, width), footer, width)
    for axes, panel in zip(cells, panels, strict=False):
        _draw_panel(axes, _part(measured, panel), styles)
        axes.set_title(titles[panel])
    _label(cells, len(panels), columns, _tick_count(measured, inches))
    return figure


def _figure(
    titles: dict[tuple[str, str], str], columns: int, handles: list[Line2D], footer: list[str], width: float
) -> tuple[Figure, list[Axes]]:
    """Empty panels, with legend and footer."""
    footer = [*footer, *shortened([*titles.values(), *(str(handle.get_label()) for handle in handles)])]
    rows = -(-len(titles) // columns)
    lines = max(title.count("\n") for title in titles.values())
    panel = PANEL_INCHES + 0.15 + lines * LINE_INCHES
    figure = new_figure(width, rows * panel + room_inches(handles, footer, width) + 0.3)
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    add_legend(figure, handles)
    add_footer(figure, footer)
    return figure, list(grid.flat)


def _handles(styles: dict[str, Series], width: float) -> list[Line2D]:
    names = short_names(list(styles), width - HANDLE_INCHES)
    return [Line2D([], [], label=names[device], **style.curve()) for device, style in styles.items()]


def _accuracies(runs: pd.DataFrame, epochs: pd.DataFrame) -> pd.DataFrame:
    """Complete epochs of the runs that ended well, in percent."""
    names = list(IDENTITY)
    ok = epochs.merge(runs.loc[runs["status"] == "ok", names], on=names)
    ok = ok[ok["test_accuracy"].notna()]
    return ok.assign(percent=ok["test_accuracy"] * 100)


def _part(frame: pd.DataFrame, panel: tuple[str, str]) -> pd.DataFrame:
    return frame[(frame["model"] == panel[0]) & (frame["recipe"] == panel[1])]


def _panels(runs: pd.DataFrame) -> list[tuple[str, str]]:
    planned = set(zip(runs["model"], runs["recipe"], strict=True))
    every = [(model, recipe) for model in by_parameters(runs) for recipe in known(runs["recipe"])]
    return [panel for panel in every if panel in planned]


def _titles(panels: Sequence[tuple[str, str]], inches: float) -> dict[tuple[str, str], str]:
    """The model, and the recipe where there are several: on a line of its own if one panel has no room for both."""
    models, recipes = (short_names(known(names), inches, NORMAL) for names in zip(*panels, strict=True))
    if len(recipes) == 1:
        return {panel: models[panel[0]] for panel in panels}
    titles = {(model, recipe): f"{models[model]}, {recipes[recipe]}" for model, recipe in panels}
    if max(text_inches(title, NORMAL) for title in titles.values()) <= inches:
        return titles
    return {panel: title.replace(", ", "\n") for panel, title in titles.items()}


def _columns(panels: Sequence[tuple[str, str]]) -> int:
    """Two or three recipes beside each other; three models too."""
    recipes = len({recipe for _, recipe in panels})
    if len(panels) > recipes > 1:
        return min(recipes, 3)
    return {1: 1, 3: 3}.get(len(panels), 2)


def _tick_count(measured: pd.DataFrame, inches: float) -> int:
    """How many epoch numbers have room below a panel."""
    return max(1, min(6, int(inches / (text_inches(f"{measured['epoch'].max():g}") + 0.06))))


def _footer(runs: pd.DataFrame, measured: pd.DataFrame) -> list[str]:
    counts = measured.groupby(["recipe", "model", "device"])["repeat"].nunique()
    means = ["Thin lines: each process; thick: mean, as far as all have come."]
    estimated = ((runs["status"] == "ok") & (runs["mode"] == "estimated")).any()
    early = ["Curves that end early: a budget ended the run (estimated)."] if estimated else []
    return [*(means if counts.max() > 1 else []), *early, count_line(counts, "a curve"), *absent_runs(runs)]


def _without_epoch(
    runs: pd.DataFrame, measured: pd.DataFrame, titles: dict[tuple[str, str], str], width: float
) -> list[str]:
    """One line on the devices that have no curve, each with the panels where it is absent, unless in all of them."""
    named = []
    for device, name in short_names(known(runs["device"]), width - HANDLE_INCHES).items():
        planned, drawn = (_of_device(frame, device) for frame in (runs, measured))
        absent = [title.replace("\n", ", ") for panel, title in titles.items() if panel in planned - drawn]
        if absent:
            named.append(name if len(absent) == len(titles) else f"{name} ({'; '.join(absent)})")
    return [f"No full epoch: {', '.join(named)}."] if named else []


def _of_device(frame: pd.DataFrame, device: str) -> set[tuple[str, str]]:
    """Model and recipe of the rows of a device."""
    rows = frame[frame["device"] == device]
    return set(zip(rows["model"], rows["recipe"], strict=True))


def _draw_panel(axes: Axes, measured: pd.DataFrame, styles: dict[str, Series]) -> None:
    axes.grid(visible=True)
    for index, (device, style) in enumerate(styles.items()):
        part = measured[measured["device"] == device]
        if not part.empty:
            _draw_device(axes, part, style, (index, len(styles)))


def _draw_device(axes: Axes, measured: pd.DataFrame, style: Series, turn: tuple[int, int]) -> None:
    """Equal curves do not hide each other: later ones are thinner, and devices take turns in marking epochs."""
    repeats = [rows for _, rows in measured.groupby("repeat")]
    if len(repeats) > 1:
        for rows in repeats:
            axes.plot(rows["epoch"], rows["percent"], color=style.colour, linewidth=0.5, alpha=0.45, zorder=1.5)
    mean = common_mean(measured)
    below = turn[1] - 1 - turn[0]  # curves that may lie on top of this one
    few = len(mean) <= turn[1]
    marks = {"markersize": 3 + min(1.4, 6 / turn[1]) * below, "markevery": 1} if few else {"markevery": turn}
    width = 1.1 + min(0.9, 2.4 / turn[1]) * below
    axes.plot(mean.index, mean, **style.curve(**{"markersize": 3, "linewidth": width, **marks}))


def common_mean(measured: pd.DataFrame) -> pd.Series:
    """Mean percentage of each epoch that all repeats have: over the same processes everywhere, by epoch."""
    epochs = measured.groupby("epoch")["percent"]
    return epochs.mean()[epochs.count() == measured["repeat"].nunique()]


def _label(cells: Sequence[Axes], panels: int, columns: int, ticks: int) -> None:
    for axes in cells[panels:]:
        axes.set_axis_off()
    for index, axes in enumerate(cells[:panels]):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=ticks))
        if index % columns == 0:
            axes.set_ylabel("test accuracy (%)")
        if index + columns >= panels:
            axes.tick_params(axis="x", labelbottom=True)
            axes.set_xlabel("epoch")
