"""Speed-ups with one row a model: for models whose numbers of parameters are too close for an axis."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reporting.layout import Rows, by_parameters, log_axis, log_limits, rows_figure, rows_inches
from reporting.published import Published
from reporting.speedup_marks import EQUAL, Content, draw_marks, extent, same_size, study_look
from reporting.style import Series
from reporting.tables import known

ORDER = "Models from few to many parameters."


def draw_rows(content: Content) -> Figure:
    """One panel a recipe, one slot a pair of devices, and one for the study where it has the same model."""
    shown, published, width = content.shown, content.published, content.width
    study = _study(shown, published)
    series = [published.label] if study else []
    panels = {str(recipe): rows for recipe, rows in shown.groupby("recipe", sort=False)}
    layouts = {
        name: Rows(models=by_parameters(rows), series=[*known(rows["pair"]), *series]) for name, rows in panels.items()
    }
    handles = content.handles if study else content.handles[:-1]
    figure, grid = rows_figure(layouts, "speed-up, CPU / GPU time", handles, [ORDER, *content.footer], width)
    limits = log_limits([*extent(shown), *study.values()], 5)
    log_axis(grid[0], "x", limits, rows_inches(layouts.values(), width))
    for axes, (recipe, rows) in zip(grid, layouts.items(), strict=True):
        _draw_panel(axes, rows, panels[recipe], content.styles)
        shared = [name for name in study if name in rows.models]
        axes.plot([study[name] for name in shared], [rows.y(name, published.label) for name in shared], **study_look())
    return figure


def _study(shown: pd.DataFrame, published: Published) -> dict[str, float]:
    """The study's ratio of each of our models that it also has, of the same size."""
    sizes = shown.groupby("model")["parameters"].max()
    models = (model for model in published.models.values() if model.name in sizes.index)
    return {model.name: model.recomputed_ratio for model in models if same_size(sizes[model.name], model)}


def _draw_panel(axes: Axes, rows: Rows, shown: pd.DataFrame, styles: dict[str, Series]) -> None:
    axes.axvline(1, **EQUAL)
    axes.grid(visible=True, axis="x")
    for pair, part in shown.groupby("pair", sort=False):
        places = pd.Series([rows.y(model, str(pair)) for model in part["model"]], index=part.index)
        draw_marks(axes, places, part, styles[str(pair)], upright=False)
