import pandas as pd
import pytest
from matplotlib.figure import Figure

from records import PUBLISHED
from reporting.published import read_published
from reporting.speedup_marks import draw_marks, estimated, extent, same_size
from reporting.style import THICK, THIN, Series

LOOK = Series(colour="red", marker="o", line="-")
ROWS = pd.DataFrame(
    {
        "speedup": [2.0, 4.0],
        "speedup_low": [1.5, None],
        "speedup_high": [2.5, None],
        "speedup_bound_low": [None, 3.0],
        "speedup_bound_high": [None, 6.0],
        "cpu_mode": ["measured", "estimated"],
        "gpu_mode": ["measured", "measured"],
    }
)


def test_a_pair_with_an_estimated_side_is_estimated():
    assert list(estimated(ROWS)) == [False, True]


def test_the_axis_shows_every_bar_and_the_line_of_equal_times():
    assert (min(extent(ROWS)), max(extent(ROWS))) == (1, 6)


@pytest.mark.parametrize("upright", [True, False])
def test_intervals_are_thick_and_bounds_thin_with_hollow_marks(upright):
    axes = Figure().subplots()
    draw_marks(axes, pd.Series([10.0, 20.0]), ROWS, LOOK, upright=upright)
    assert [bar.get_linewidth() for bar in axes.collections] == [THICK, THIN]
    assert [line.get_markerfacecolor() for line in axes.lines] == ["red", "white"]
    values = [line.get_ydata() if upright else line.get_xdata() for line in axes.lines]
    assert [float(value[0]) for value in values] == [2, 4]


def test_sizes_agree_to_the_decimals_that_the_study_prints():
    model = read_published(PUBLISHED).models["resnet18"]
    assert same_size(11_689_512, model)
    assert not same_size(11_181_642, model)
