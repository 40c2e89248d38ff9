"""Speed-up against the number of parameters, ours and the study's."""

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reporting.layout import message_figure, two_sided, with_pairs
from reporting.notes import (
    BOUNDS,
    NO_BARS,
    absent_side,
    count_line,
    disturbed_devices,
    interval_line,
    machine_lines,
    reasons,
)
from reporting.published import Published, read_published
from reporting.speedup_marks import Content, estimated, study_look
from reporting.speedup_rows import draw_rows
from reporting.speedup_scatter import MILLION, crowded, draw_scatter
from reporting.statistics import StatisticsSettings
from reporting.style import FigureSettings, Series, hollow_handle, save, series_styles, styled
from reporting.tables import RUN_COLUMNS, SPEEDUP_COLUMNS, known, read_table

CLOCK = "train_s"
PAIR = "{cpu} / {gpu}"  # as on the axis: time of the one over time of the other
NO_PAIR = "No pair of CPU and GPU runs can be compared yet. The reasons, from results/tables/speedup.csv:"
LEARNING_OK = ("ok", "accuracy: not run")  # beginnings of what needs no warning


def plot_speedup(*, speedup: str, runs: str, published: str, statistics: str, figures: str, png: str, svg: str) -> None:
    """Write the figure of speed-ups from speedup.csv and the published facts; runs.csv tells which side is absent."""
    settings = FigureSettings.from_json(figures)
    tables = read_table(speedup, SPEEDUP_COLUMNS), read_table(runs, RUN_COLUMNS)
    facts = read_published(published), StatisticsSettings.from_json(statistics)
    with styled():
        save(draw_speedup(*tables, *facts, settings), settings, png, svg)


def draw_speedup(
    speedup: pd.DataFrame,
    runs: pd.DataFrame,
    published: Published,
    statistics: StatisticsSettings,
    settings: FigureSettings,
) -> Figure:
    """One panel a recipe, log-log; one row a model instead where models are too close on the axis of parameters."""
    rows = with_pairs(two_sided(speedup[speedup["clock"] == CLOCK]), PAIR, settings.width_inches)
    rows = rows.assign(millions=rows["parameters"] / MILLION)
    shown = rows[rows["speedup"].notna() & rows["millions"].notna()]
    if shown.empty:
        return message_figure(settings, "No speed-up to show", _absence(rows, runs))
    styles = series_styles(known(rows["pair"]))
    draw = draw_rows if crowded(shown, published, settings.width_inches) else draw_scatter
    return draw(
        Content(
            shown=shown,
            published=published,
            styles=styles,
            handles=_handles(shown, styles, published),
            footer=_footer(rows, runs, statistics.confidence),
            width=settings.width_inches,
        )
    )


def _absence(rows: pd.DataFrame, runs: pd.DataFrame) -> str:
    if rows.empty:
        return absent_side(runs, "get a speed-up")
    return f"{NO_PAIR} {reasons(zip(rows['model'], rows['note'], strict=True))}"


def _handles(shown: pd.DataFrame, styles: dict[str, Series], published: Published) -> list[Line2D]:
    hollow_pairs = set(shown["pair"]) - set(shown["pair"][~estimated(shown)])
    pairs = [
        Line2D([], [], label=pair, **styles[pair].points(hollow=pair in hollow_pairs)) for pair in known(shown["pair"])
    ]
    hollow = [hollow_handle()] if estimated(shown).any() else []
    return [*pairs, *hollow, Line2D([], [], label=published.label, **study_look())]


def _footer(rows: pd.DataFrame, runs: pd.DataFrame, confidence: float) -> list[str]:
    shown = rows[rows["speedup"].notna()]
    counts = count_line([*shown["n_cpu"], *shown["n_gpu"]], "a side")
    doubts = [*disturbed_devices(_drawn(runs, shown)), *_doubts(shown)]
    return [*_machines(rows), *_bars(shown, confidence), counts, *doubts, *_missing(rows)]


def _drawn(runs: pd.DataFrame, shown: pd.DataFrame) -> pd.DataFrame:
    """The runs on a side of a speed-up that is shown."""
    names = ["recipe", "model", "device"]
    sides = [shown.rename(columns={f"{side}_device": "device"})[names] for side in ("cpu", "gpu")]
    return runs.merge(pd.concat(sides).drop_duplicates(), on=names)


def _machines(rows: pd.DataFrame) -> list[str]:
    names = {
        str(device): known(part[f"{side}_name"])
        for side in ("cpu", "gpu")
        for device, part in rows.groupby(f"{side}_device", sort=False)
    }
    return machine_lines(names)


def _bars(shown: pd.DataFrame, confidence: float) -> list[str]:
    thick, thin = shown["speedup_low"].notna(), shown["speedup_bound_low"].notna()
    lines = {
        interval_line(confidence, "Welch on log times"): thick.any(),
        BOUNDS: thin.any(),
        NO_BARS: (~thick & ~thin).any(),
    }
    return [line for line, holds in lines.items() if holds]


def _doubts(shown: pd.DataFrame) -> list[str]:
    learning = shown["learning"].dropna().astype(str)
    doubtful = int((~learning.str.startswith(LEARNING_OK)).sum())
    return [f"Without sound learning: {doubtful} of {len(shown)} pairs, see learning in speedup.csv."] * bool(doubtful)


def _missing(rows: pd.DataFrame) -> list[str]:
    absent = int(rows["speedup"].isna().sum())
    return [f"Not shown: {absent} of {len(rows)} pairs, see note in speedup.csv."] * bool(absent)
