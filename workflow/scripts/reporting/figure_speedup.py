"""Speed-up against the number of parameters, ours and the study's."""

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reporting.layout import (
    LINE_INCHES,
    add_footer,
    add_legend,
    footer_lines,
    legend_inches,
    log_axis,
    log_limits,
    message_figure,
    spread,
    text_inches,
)
from reporting.notes import GET_GPU, interval_lines, machine_lines, reasons
from reporting.published import Published, read_published
from reporting.style import (
    BLACK,
    GREY,
    SMALL,
    FigureSettings,
    Series,
    hollow_handle,
    new_figure,
    save,
    series_styles,
    styled,
)
from reporting.tables import SPEEDUP_COLUMNS, known, read_table

CLOCK = "train_s"
MILLION = 1e6
PANEL_INCHES = 1.75
SIDE_INCHES = 0.55  # left of the axes: label and numbers
NO_GPU = f"There is no GPU run in this study. To get a speed-up, {GET_GPU}"
NO_PAIR = "No pair of CPU and GPU runs can be compared yet. The reasons, from results/tables/speedup.csv:"


def plot_speedup(*, speedup: str, published: str, figures: str, png: str, svg: str) -> None:
    """Write the figure of speed-ups from speedup.csv and the published facts, as PNG and SVG."""
    settings = FigureSettings.from_json(figures)
    with styled():
        figure = draw_speedup(read_table(speedup, SPEEDUP_COLUMNS), read_published(published), settings)
        save(figure, settings, png, svg)


def draw_speedup(speedup: pd.DataFrame, published: Published, settings: FigureSettings) -> Figure:
    """One panel a recipe, log-log; lines join one family only; the study's points in black in every panel."""
    rows = speedup[speedup["clock"] == CLOCK]
    rows = rows.assign(pair=rows["gpu_device"] + " over " + rows["cpu_device"], millions=rows["parameters"] / MILLION)
    shown = rows[rows["speedup"].notna() & rows["millions"].notna()]
    if shown.empty:
        return message_figure(settings, "No speed-up to show", _absence(rows))
    styles = series_styles(known(rows["pair"]))
    handles, footer = _handles(shown, styles, published), _footer(rows)
    panels = list(shown.groupby("recipe", sort=False))
    labels = _labels(shown, published)
    width = settings.width_inches
    figure = new_figure(width, _height(len(panels), labels, handles, footer, width))
    grid = figure.subplots(len(panels), sharex=True, sharey=True, squeeze=False)
    _scale(grid[0, 0], shown, published)
    for axes, (recipe, part) in zip(grid[:, 0], panels, strict=True):
        _draw_panel(axes, part, styles, published)
        title = f"recipe {recipe}\n" if len(panels) > 1 else ""
        axes.set_ylabel(f"{title}speed-up, CPU / GPU time")
    grid[-1, 0].set_xlabel("parameters (millions)")
    _name_models(grid[0, 0], labels, width - SIDE_INCHES)
    add_legend(figure, handles)
    add_footer(figure, footer)
    return figure


def _absence(rows: pd.DataFrame) -> str:
    if rows.empty:
        return NO_GPU
    return f"{NO_PAIR} {reasons(zip(rows['model'], rows['note'], strict=True))}"


def _height(
    panels: int, labels: dict[str, float], handles: Sequence[Line2D], footer: Sequence[str], width: float
) -> float:
    names = LINE_INCHES if _fit(labels, width - SIDE_INCHES) else max(map(text_inches, labels))
    legend = legend_inches([str(handle.get_label()) for handle in handles], width)
    return panels * PANEL_INCHES + names + legend + 0.6 + LINE_INCHES * len(footer_lines(footer, width))


def _fit(labels: dict[str, float], width: float) -> bool:
    return sum(text_inches(f"{label}  ") for label in labels) <= width


def _labels(shown: pd.DataFrame, published: Published) -> dict[str, float]:
    """Model name to millions of parameters, from small to large; our number where we have one."""
    sizes = {model.name: model.parameters / MILLION for model in published.models.values()}
    sizes |= {str(name): size for name, size in shown.groupby("model")["millions"].max().items()}
    return dict(sorted(sizes.items(), key=lambda item: item[1]))


def _handles(shown: pd.DataFrame, styles: dict[str, Series], published: Published) -> list[Line2D]:
    pairs = [Line2D([], [], label=pair, **styles[pair].points()) for pair in known(shown["pair"])]
    study = Line2D([], [], label=published.label, **_study_points())
    estimated = _estimated(shown).any()
    return [*pairs, *([hollow_handle()] if estimated else []), study]


def _estimated(rows: pd.DataFrame) -> pd.Series:
    return (rows["cpu_mode"] == "estimated") | (rows["gpu_mode"] == "estimated")


def _study_points() -> dict[str, Any]:
    return {"color": BLACK, "marker": "x", "markersize": 4.5, "linestyle": "none"}


def _footer(rows: pd.DataFrame) -> list[str]:
    names = {
        str(device): known(part[f"{side}_name"])
        for side in ("cpu", "gpu")
        for device, part in rows.groupby(f"{side}_device", sort=False)
    }
    absent = rows["speedup"].isna().sum()
    missing = [f"Not shown: {absent} of {len(rows)} pairs, see note in speedup.csv."] if absent else []
    return [*machine_lines(names), *interval_lines(rows["speedup"], rows["speedup_low"]), *missing]


def _scale(axes: Axes, shown: pd.DataFrame, published: Published) -> None:
    sizes = [*shown["millions"], *(model.parameters / MILLION for model in published.models.values())]
    ours = [*shown["speedup"], *shown["speedup_low"].dropna(), *shown["speedup_high"].dropna()]
    log_axis(axes, "x", log_limits(sizes, 20))
    log_axis(axes, "y", log_limits([1, *ours, *(model.recomputed_ratio for model in published.models.values())], 5))


def _draw_panel(axes: Axes, rows: pd.DataFrame, styles: dict[str, Series], published: Published) -> None:
    axes.axhline(1, color=GREY, linewidth=0.8, linestyle=(0, (1, 1)))
    axes.grid(visible=True)
    study = [(m.family, m.parameters / MILLION, m.recomputed_ratio) for m in published.models.values()]
    _draw_families(axes, pd.DataFrame(study, columns=["family", "millions", "speedup"]), BLACK, ":")
    axes.plot([x for _, x, _ in study], [y for _, _, y in study], **_study_points())
    pairs = known(rows["pair"])
    for index, pair in enumerate(pairs):
        part = rows[rows["pair"] == pair].sort_values("millions")
        # Two pairs of one model have the same x: a small shift keeps both visible.
        part = part.assign(millions=part["millions"] * 1.04 ** (index - (len(pairs) - 1) / 2))
        _draw_families(axes, part, styles[pair].colour, styles[pair].line)
        _draw_points(axes, part, styles[pair])


def _draw_families(axes: Axes, rows: pd.DataFrame, colour: str, line: str) -> None:
    for _, family in rows.groupby("family"):
        if len(family) > 1:
            axes.plot(family["millions"], family["speedup"], color=colour, linestyle=line, linewidth=0.8, alpha=0.8)


def _draw_points(axes: Axes, rows: pd.DataFrame, style: Series) -> None:
    bars = rows.dropna(subset=["speedup_low", "speedup_high"])
    axes.vlines(bars["millions"], bars["speedup_low"], bars["speedup_high"], color=style.colour, linewidth=1)
    estimated = _estimated(rows)
    for hollow, part in ((False, rows[~estimated]), (True, rows[estimated])):
        axes.plot(part["millions"], part["speedup"], **style.points(hollow=hollow))


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
