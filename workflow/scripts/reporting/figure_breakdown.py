"""Where the time of a training step goes: a stacked bar for each model and device."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

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
from reporting.notes import machine_lines
from reporting.style import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PALE,
    PURPLE,
    SKY,
    SMALL,
    VERMILLION,
    FigureSettings,
    new_figure,
    save,
    styled,
)
from reporting.tables import BREAKDOWN_COLUMNS, PARTS, known, read_table

SHARES = [f"{part}_share" for part in PARTS]
STAR = "*"  # after a device with a disturbed process
UNLIKE = "processes differ, see breakdown.csv"
HEADING = ""  # the slot above a model's devices, for its name
# Colour, hatch and word of each part; the hatches tell them apart without colour.
LOOKS = {
    "data_wait": (ORANGE, "", "wait for data"),
    "copy": (VERMILLION, "////////", "copy to device"),
    "forward": (SKY, "", "forward"),
    "backward": (BLUE, "\\\\\\\\\\\\\\\\", "backward"),
    "optimizer": (GREEN, "........", "optimizer"),
    "other": (PURPLE, "xxxxxxxx", "other"),
}
NO_ACCELERATOR = "No accelerator here: nothing is copied, and the copy is what it costs to find that out."
NO_BREAKDOWN = (
    "No breakdown has ended well yet. Make them with make run; results/tables/breakdown.csv says of each model and "
    "device whether it is missing, ran out of memory or was refused, and why."
)


def plot_breakdown(*, breakdown: str, figures: str, png: str, svg: str) -> None:
    """Write the figure of the parts of a step from breakdown.csv, as PNG and SVG."""
    settings = FigureSettings.from_json(figures)
    with styled():
        save(draw_breakdown(read_table(breakdown, BREAKDOWN_COLUMNS), settings), settings, png, svg)


def draw_breakdown(breakdown: pd.DataFrame, settings: FigureSettings) -> Figure:
    """One panel a recipe, one group a model, one bar a device; its length is the whole step, beside it milliseconds."""
    if breakdown["step_s"].isna().all():
        return message_figure(settings, "No breakdown of a step to show", NO_BREAKDOWN)
    panels = {str(recipe): rows for recipe, rows in breakdown.groupby("recipe", sort=False)}
    models = by_parameters(breakdown)  # of all panels: a model without a process there has no number of parameters
    layouts = [Rows(models=models, series=[HEADING, *map(str, known(rows["device"]))]) for rows in panels.values()]
    footer, handles = _footer(breakdown), _handles()
    figure = new_figure(settings.width_inches, _height(layouts, footer, settings.width_inches))
    grid = figure.subplots(len(panels), sharex=True, squeeze=False, height_ratios=[rows.inches for rows in layouts])
    for axes, rows, (recipe, part) in zip(grid[:, 0], layouts, panels.items(), strict=True):
        _draw_panel(axes, rows, part)
        axes.set_title(f"recipe {recipe}" if len(panels) > 1 else "")
    grid[-1, 0].set_xlabel("share of a training step (%)")
    add_legend(figure, handles)
    add_footer(figure, footer)
    return figure


def _handles() -> list[Patch]:
    return [Patch(label=word, **_look(part)) for part, (_, _, word) in LOOKS.items()]


def _look(part: str) -> dict[str, Any]:
    colour, hatch, _ = LOOKS[part]
    return {"facecolor": colour, "hatch": hatch, "edgecolor": "white", "linewidth": 0.3}


def _height(layouts: Sequence[Rows], footer: Sequence[str], width: float) -> float:
    titles = 0.2 * len(layouts) if len(layouts) > 1 else 0
    legend = legend_inches([word for _, _, word in LOOKS.values()], width)
    return (
        sum(rows.inches for rows in layouts) + titles + legend + 0.45 + LINE_INCHES * len(footer_lines(footer, width))
    )


def _footer(breakdown: pd.DataFrame) -> list[str]:
    shown = breakdown[breakdown["step_s"].notna()]
    names = {str(device): known(rows["device_name"]) for device, rows in shown.groupby("device", sort=False)}
    accelerated = bool((shown["device_type"] != "cpu").any())
    text = "Right: time of a step"
    if accelerated:
        text += (
            "; on a GPU of an undisturbed one, whose parts overlap, while those in the bar were synchronised one by one"
        )
    doubts = [*_disturbed(shown), *([] if accelerated else [NO_ACCELERATOR])]
    return [f"{text}. {_counts(shown)}", *machine_lines(names), *doubts]


def _disturbed(shown: pd.DataFrame) -> list[str]:
    """What the star of a device means, if there is one."""
    count = int(shown["disturbed_passes"].sum())
    return [f"{STAR} Other work disturbed {count} of {shown['n'].sum():g} processes, see breakdown.csv."] * bool(count)


def _counts(shown: pd.DataFrame) -> str:
    return f"Processes a bar: {_range(shown['n'])}, steps: {_range(shown['steps'])}."


def _range(counts: pd.Series) -> str:
    return " to ".join(dict.fromkeys(f"{count:g}" for count in (counts.min(), counts.max())))


def _draw_panel(axes: Axes, rows: Rows, breakdown: pd.DataFrame) -> None:
    rows.draw(axes)
    places, names = [], []
    for model in rows.models:
        heading = rows.y(model, HEADING)
        axes.text(0.5, heading + 0.1, model, va="center", fontsize=SMALL, weight="bold")
    for _, row in breakdown.iterrows():
        y = rows.y(str(row["model"]), str(row["device"]))
        places.append(y)
        starred = row["disturbed_passes"] > 0 and not pd.isna(row["step_s"])
        names.append(f"{row['device']}{STAR if starred else ''}")
        _draw_bar(axes, y, row)
    axes.set_yticks(places, names)
    axes.set_xlim(0, 100)
    axes.set_xticks(range(0, 101, 20))


def _draw_bar(axes: Axes, y: float, row: pd.Series) -> None:
    if pd.isna(row["step_s"]):
        text = UNLIKE if row["n"] else str(row["status"])
        axes.text(0.5, y, text, va="center", fontsize=SMALL, color=GREY)
        return
    if row[SHARES].isna().all():
        axes.barh(y, 100, height=0.84, facecolor=PALE, edgecolor=GREY, linewidth=0.3)
        axes.text(1, y, "one graph, not taken apart", va="center", fontsize=SMALL, color=GREY)
    else:
        _draw_parts(axes, y, row)
    text = f" {milliseconds(float(row['step_s']))}"
    axes.text(1, y, text, transform=axes.get_yaxis_transform(), va="center", fontsize=SMALL)


def _draw_parts(axes: Axes, y: float, row: pd.Series) -> None:
    left = 0.0
    for part in PARTS:
        width = 100 * float(row[f"{part}_share"])
        axes.barh(y, width, left=left, height=0.84, **_look(part))
        left += width


def milliseconds(seconds: float) -> str:
    """Return a time as milliseconds with three digits."""
    value = 1000 * seconds
    return f"{value:.0f} ms" if value >= 100 else f"{value:.1f} ms" if value >= 10 else f"{value:.2f} ms"
