"""The time of a step by recipe, from the first to the last knob, with the kernels' own time and the floor."""

from itertools import groupby

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reporting.layout import (
    HANDLE_INCHES,
    LINE_INCHES,
    Rows,
    add_footer,
    add_legend,
    by_parameters,
    log_axis,
    log_limits,
    message_figure,
    room_inches,
    rows_inches,
)
from reporting.lettering import short_names
from reporting.notes import BOUNDS, NO_BARS, NO_RUN, count_line, interval_line, machine_lines
from reporting.statistics import StatisticsSettings
from reporting.style import (
    BLACK,
    GREY,
    SMALL,
    THICK,
    THIN,
    FigureSettings,
    Series,
    hollow_handle,
    new_figure,
    save,
    series_styles,
    styled,
)
from reporting.tables import ABLATION_COLUMNS, known, read_table

LABEL = "time of a training step (ms)"
KERNELS, FLOOR = "summed kernel time", "floor"
BARS = {("step_ms_low", "step_ms_high"): THICK, ("step_ms_bound_low", "step_ms_bound_high"): THIN}
FLOORS = "Floor: the arithmetic or the optimizer's bytes at the best rates measured on the device."
STAR = "*"  # beside a recipe with a disturbed process
STAR_OFFSET = 3, -1.5  # points, from the end of the bar or mark to the star's middle


def plot_ablation(*, ablation: str, statistics: str, figures: str, png: str, svg: str) -> None:
    """Write the figure of the knobs from ablation.csv, as PNG and SVG."""
    settings, confidence = FigureSettings.from_json(figures), StatisticsSettings.from_json(statistics).confidence
    with styled():
        figure = draw_ablation(read_table(ablation, ABLATION_COLUMNS), settings, confidence)
        save(figure, settings, png, svg)


def draw_ablation(ablation: pd.DataFrame, settings: FigureSettings, confidence: float) -> Figure:
    """One panel a device, one row a model, one slot a recipe."""
    if ablation["step_ms"].isna().all():
        return message_figure(settings, "No time of a step to show", NO_RUN)
    styles, width = series_styles(known(ablation["recipe"])), settings.width_inches
    panels = {str(device): rows for device, rows in ablation.groupby("device", sort=False)}
    models = by_parameters(ablation)  # of all panels: a model without a run there has no number of parameters
    layouts = {name: Rows(models=models, series=list(styles)) for name in panels}
    handles, footer = _handles(ablation, styles, width), _footer(ablation, confidence)
    heights = [rows.inches for rows in layouts.values()]
    room = room_inches(handles, footer, width) + 0.33 + 0.2 * len(panels) + LINE_INCHES
    figure = new_figure(width, sum(heights) + room)
    grid = figure.subplots(len(panels), sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    log_axis(grid[0], "x", log_limits(_extent(ablation), 20), rows_inches(layouts.values(), width))
    for axes, (device, rows) in zip(grid, layouts.items(), strict=True):
        rows.draw(axes)
        axes.grid(visible=True, axis="x")
        axes.set_title(device)
        _draw_panel(axes, rows, panels[device], styles)
    grid[-1].set_xlabel(LABEL)
    add_legend(figure, handles)
    add_footer(figure, footer)
    return figure


def _extent(ablation: pd.DataFrame) -> list[float]:
    columns = ["step_ms", *(end for ends in BARS for end in ends), "kernel_ms", "floor_ms"]
    return [float(value) for column in columns for value in ablation[column].dropna()]


def _handles(ablation: pd.DataFrame, styles: dict[str, Series], width: float) -> list[Line2D]:
    names = short_names(list(styles), width - HANDLE_INCHES)
    timed = ablation[ablation["step_ms"].notna()]
    hollow_recipes = set(timed["recipe"]) - set(timed["recipe"][timed["mode"] != "estimated"])
    marks = [
        Line2D([], [], label=names[recipe], **style.points(hollow=recipe in hollow_recipes))
        for recipe, style in styles.items()
    ]
    kernels = Line2D([], [], color=BLACK, marker="|", linestyle="none", label=KERNELS)
    floor = Line2D([], [], color=GREY, linestyle="--", linewidth=0.8, label=FLOOR)
    hollow = [hollow_handle()] if "estimated" in set(ablation["mode"]) else []
    lines = {"kernel_ms": kernels, "floor_ms": floor}
    return [*marks, *hollow, *(line for column, line in lines.items() if ablation[column].notna().any())]


def _footer(ablation: pd.DataFrame, confidence: float) -> list[str]:
    shown = ablation[ablation["step_ms"].notna()]
    names = {str(device): known(rows["device_name"]) for device, rows in shown.groupby("device", sort=False)}
    bars = [interval_line(confidence, "t on log times")] if shown["step_ms_low"].notna().any() else []
    bounds = [BOUNDS] if shown["step_ms_bound_low"].notna().any() else []
    barred = shown[[low for low, _ in BARS]].notna().any(axis=1)
    bare = [] if barred.all() else [NO_BARS]
    floor = [FLOORS] if shown["floor_ms"].notna().any() else []
    return [*machine_lines(names), count_line(shown["n"], "a mark"), *bars, *bounds, *bare, *floor, *_doubts(ablation)]


def _doubts(ablation: pd.DataFrame) -> list[str]:
    """What a star means, if there is one, and how many rows are without a gain that they should have."""
    shown = ablation[ablation["step_ms"].notna()]
    disturbed = int(shown["disturbed_runs"].sum())
    stars = [f"{STAR} Other work disturbed {disturbed} of {shown['n'].sum():g} processes, see note in ablation.csv."]
    refused = int(ablation["note"].str.startswith("refused", na=False).sum())
    unlike = [f"Not like the first recipe or among themselves: {refused} of {len(ablation)}, see note in ablation.csv."]
    return [*(stars if disturbed else []), *(unlike if refused else [])]


def _draw_panel(axes: Axes, rows: Rows, ablation: pd.DataFrame, styles: dict[str, Series]) -> None:
    for _, row in ablation.iterrows():
        y = rows.y(str(row["model"]), str(row["recipe"]))
        _draw_slot(axes, y, row, styles[str(row["recipe"])])
    for model, group in ablation[ablation["floor_ms"].notna()].groupby("model", sort=False):
        slots = zip(group["floor_ms"], (rows.y(str(model), str(recipe)) for recipe in group["recipe"]), strict=True)
        for floor, neighbours in groupby(slots, key=lambda slot: slot[0]):
            ys = [y for _, y in neighbours]
            axes.vlines(floor, min(ys) - 0.5, max(ys) + 0.5, color=GREY, linestyle="--", linewidth=0.8)


def _draw_slot(axes: Axes, y: float, row: pd.Series, style: Series) -> None:
    if pd.isna(row["step_ms"]):
        text = f"{row['recipe']}: {'refused, see note' if row['n'] else row['status']}"
        axes.text(0.01, y, text, transform=axes.get_yaxis_transform(), va="center", fontsize=SMALL, color=GREY)
        return
    if not pd.isna(row["kernel_ms"]):
        axes.plot(row["kernel_ms"], y, color=BLACK, marker="|", linestyle="none")
    for (low, high), width in BARS.items():
        if not pd.isna(row[low]):
            axes.hlines(y, row[low], row[high], color=style.colour, linewidth=width)
    axes.plot(row["step_ms"], y, **style.points(hollow=row["mode"] == "estimated"))
    if row["disturbed_runs"] > 0:
        end = max(row[["step_ms", *(high for _, high in BARS)]].dropna())
        axes.annotate(STAR, (end, y), STAR_OFFSET, textcoords="offset points", va="center", color=GREY)
