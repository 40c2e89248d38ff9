"""The look of every figure: colours (defined nowhere else), markers, fonts, sizes, and how a figure is saved."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

# Okabe and Ito (2008), safe for colour-blind readers; black and grey are kept for what others published.
BLUE, VERMILLION, GREEN, ORANGE = "#0072B2", "#D55E00", "#009E73", "#E69F00"
PURPLE, SKY, BLACK = "#CC79A7", "#56B4E9", "#000000"
GREY, PALE, BAND = "#595959", "#F2F2F2", "#DDEBDD"
COLOURS = (BLUE, VERMILLION, GREEN, ORANGE, PURPLE, SKY)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<")
LINES = ("-", "--", "-.", ":")
FONT = "DejaVu Sans"  # comes with matplotlib
SMALL, NORMAL = 6.5, 7.0  # points
THICK, THIN = 1.3, 0.5  # points: bars of confidence intervals, and of prediction intervals
MARK = 4.2  # points

RC: Any = {
    "font.family": "sans-serif",
    "font.sans-serif": [FONT, "Verdana", "Arial", "sans-serif"],
    "font.size": NORMAL,
    "axes.labelsize": NORMAL,
    "axes.titlesize": NORMAL,
    "axes.titlelocation": "left",
    "axes.titlepad": 3,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": "#E3E3E3",
    "grid.linewidth": 0.5,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.minor.width": 0.4,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "xtick.minor.size": 1.5,
    "ytick.minor.size": 1.5,
    "legend.fontsize": SMALL,
    "legend.frameon": False,
    "legend.handlelength": 1.8,
    "legend.columnspacing": 1.0,
    "legend.handletextpad": 0.4,
    "legend.labelspacing": 0.25,
    "legend.borderpad": 0.3,
    "lines.linewidth": 1.1,
    "lines.markersize": MARK,
    "lines.markeredgewidth": 0.9,
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "gpu-training-speedup",  # the same figure gives the same bytes
    "figure.constrained_layout.h_pad": 0.03,
    "figure.constrained_layout.w_pad": 0.03,
}


@dataclass(frozen=True, kw_only=True)
class FigureSettings:
    """The `figures` part of the configuration."""

    width_inches: float  # width of every figure
    dpi: float  # dots per inch of the PNG

    @classmethod
    def from_json(cls, text: str) -> "FigureSettings":
        """From the JSON text of the `figures` part."""
        return cls(**json.loads(text))


@dataclass(frozen=True, kw_only=True)
class Series:
    """How one device, or one pair of devices, looks everywhere in a figure."""

    colour: str
    marker: str
    line: str

    def points(self, *, hollow: bool = False, **more: Any) -> dict[str, Any]:
        """Keyword arguments of a point; hollow means estimated."""
        face = "white" if hollow else self.colour
        return {"color": self.colour, "marker": self.marker, "markerfacecolor": face, "linestyle": "none", **more}

    def ticks(self) -> dict[str, Any]:
        """Keyword arguments of thin ticks, one a repeat."""
        return {"color": self.colour, "marker": "|", "markersize": 2.6, "markeredgewidth": 0.5, "linestyle": "none"}

    def curve(self, **more: Any) -> dict[str, Any]:
        """Keyword arguments of a line with marks."""
        return {"color": self.colour, "marker": self.marker, "linestyle": self.line, **more}


def series_styles(names: Sequence[str]) -> dict[str, Series]:
    """A distinct colour, marker and line for each name, by its position."""
    return {
        name: Series(
            colour=COLOURS[index % len(COLOURS)],
            marker=MARKERS[index % len(MARKERS)],
            line=LINES[index % len(LINES)],
        )
        for index, name in enumerate(names)
    }


def new_figure(width: float, height: float) -> Figure:
    """An empty figure in our style, size in inches. Draw on it within `matplotlib.rc_context(RC)`."""
    return Figure(figsize=(width, height), layout="constrained")


def styled() -> Any:
    """The context in which every figure is drawn and saved."""
    return matplotlib.rc_context(RC)


def save(figure: Figure, settings: FigureSettings, png: str, svg: str) -> None:
    """Write both files; neither holds a date."""
    figure.savefig(png, dpi=settings.dpi)
    figure.savefig(svg, metadata={"Date": None})


def hollow_handle() -> Line2D:
    """The legend entry of estimated values."""
    return Line2D([], [], color=GREY, marker="o", markerfacecolor="white", linestyle="none", label="hollow: estimated")
