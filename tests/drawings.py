"""The figures of the studies in records.cases, drawn once each, and what can be read off them."""

import json
import re
import tempfile
from functools import cache
from pathlib import Path

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from records import FIGURES, PUBLISHED, STATISTICS, cases, figures, tables
from reporting.figure_accuracy import draw_accuracy
from reporting.figure_parity import draw_parity
from reporting.figure_speedup import draw_speedup
from reporting.figure_training_time import draw_training_time
from reporting.published import read_published
from reporting.statistics import StatisticsSettings
from reporting.style import FigureSettings, styled
from reporting.tables import EPOCH_COLUMNS, PARITY_COLUMNS, RUN_COLUMNS, SPEEDUP_COLUMNS, read_table

CASES = cases()
COLUMNS = {"runs": RUN_COLUMNS, "epochs": EPOCH_COLUMNS, "speedup": SPEEDUP_COLUMNS, "parity": PARITY_COLUMNS}
SETTINGS = FigureSettings.from_json(json.dumps(FIGURES))


@cache
def folder(case):
    """The tables of a case."""
    return tables(Path(tempfile.mkdtemp()), CASES[case])


@cache
def drawn(case):
    """The PNG files of a case by figure; the SVG files lie beside them."""
    return figures(folder(case), folder(case).parent / "figures")


def frames(case):
    """The tables of a case, with what judges learning and projections filled in by hand."""
    read = {name: read_table(folder(case) / f"{name}.csv", columns) for name, columns in COLUMNS.items()}
    speedup, parity = read["speedup"], read["parity"]
    estimated = (speedup["cpu_mode"] == "estimated") | (speedup["gpu_mode"] == "estimated")
    for name, factor in (("low", 0.8), ("high", 1.3)):
        speedup[f"speedup_{name}"] = speedup[f"speedup_{name}"].where(~estimated)
        speedup[f"speedup_bound_{name}"] = (speedup["speedup"] * factor).where(estimated)
    several = parity["difference_low"].notna()
    parity["equivalence_low"] = (parity["difference"] - 0.003).where(several)
    parity["equivalence_high"] = (parity["difference"] + 0.004).where(several)
    return read


def draw(read):
    """The four figures of a folder of tables, by name."""
    facts = StatisticsSettings.from_json(json.dumps(STATISTICS)), SETTINGS
    with styled():
        return {
            "training_time": draw_training_time(read["runs"], SETTINGS),
            "speedup": draw_speedup(read["speedup"], read["runs"], read_published(PUBLISHED), *facts),
            "accuracy": draw_accuracy(read["runs"], read["epochs"], SETTINGS),
            "parity": draw_parity(read["parity"], read["runs"], *facts),
        }


def points(axes, colour, marker):
    """Where marks of one look are, (x, y) in the data's units, hollow ones after the others."""
    lines = [line for line in axes.lines if line.get_color() == colour and line.get_marker() == marker]
    return [point for line in lines for point in zip(*line.get_data(), strict=True)]


def bars(axes, width):
    """The ends of the bars of one line width, along the axis of values."""
    segments = [s for lines in axes.collections for s in lines.get_segments() if lines.get_linewidth()[0] == width]
    return [(a[0], b[0]) if a[1] == b[1] else (a[1], b[1]) for a, b in segments]


def near(pairs):
    return [pytest.approx(tuple(pair)) for pair in pairs]


def legend_of(figure):
    """The marks of the legend by their text."""
    (legend,) = figure.legends
    texts = [text.get_text() for text in legend.get_texts()]
    return dict(zip(texts, legend.legend_handles, strict=True))


def legible(figure):
    """All visible text with its box in pixels, tick labels beyond the limits left out."""
    FigureCanvasAgg(figure).draw()  # places everything
    beyond = set()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
            beyond |= {id(tick.label1) for tick in ticks if not low <= tick.get_loc() <= high or not axes.axison}
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
    return [(text.get_text(), text.get_window_extent()) for text in texts if id(text) not in beyond]


def words(png):
    """All text of the SVG beside a PNG."""
    found = re.findall(r"<text[^>]*>(.*?)</text>", png.with_suffix(".svg").read_text(encoding="utf-8"), re.DOTALL)
    return " ".join(re.sub(r"<[^>]*>", "", text) for text in found)
