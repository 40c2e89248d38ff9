"""Draw the speed-up figure of a published folder with the code of today.

`PYTHONPATH=workflow/scripts python benchmarks/draw_reference.py resources/reference/nvidia-h200/results/tables
docs/figures/speedup_h200.png` draws speedup.csv and runs.csv of that folder, as PNG and SVG, with the settings of
config/config.yaml. The tables stay as they are: a column that they are too old to have is empty in a copy.
"""

import argparse
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import yaml

from reporting.figure_speedup import plot_speedup
from reporting.tables import RUN_COLUMNS, SPEEDUP_COLUMNS

ROOT = Path(__file__).parents[1]
PUBLISHED = ROOT / "resources" / "published" / "li2026.yaml"


def completed(table: Path, columns: Sequence[str], folder: Path) -> str:
    """Copy a CSV table into a folder, with exactly these columns, empty where it has none; return the copy's path."""
    copy = folder / table.name
    cells = pd.read_csv(table, dtype=str, keep_default_na=False)
    cells.reindex(columns=list(columns)).to_csv(copy, index=False)
    return str(copy)


def draw(tables: Path, png: Path) -> None:
    """Write the figure of a folder of tables to a PNG file and an SVG file beside it."""
    config = yaml.safe_load((ROOT / "config" / "config.yaml").read_text(encoding="utf-8"))
    png.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        plot_speedup(
            speedup=completed(tables / "speedup.csv", SPEEDUP_COLUMNS, Path(folder)),
            runs=completed(tables / "runs.csv", RUN_COLUMNS, Path(folder)),
            published=str(PUBLISHED),
            statistics=json.dumps(config["statistics"]),
            figures=json.dumps(config["figures"]),
            png=str(png),
            svg=str(png.with_suffix(".svg")),
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("tables", type=Path, help="folder with speedup.csv and runs.csv")
    parser.add_argument("png", type=Path, help="figure to write; the SVG file lies beside it")
    draw(**vars(parser.parse_args()))
