"""Estimated training times of runs that were recorded: what a budget would have said, against what they took.

`PYTHONPATH=workflow/scripts python benchmarks/estimate_replay.py [folder ...]` looks at every record below the folders
(default: resources/reference) and prints a row for each run and share of its time: the estimate from the steps until
then, by the code that ends and projects a real run (`reporting.replay`). A run that a budget ended counts as one that
was as long as it ran. Older tables lack the wait for the first batch; then nothing is assumed for the start of an epoch
until the second one was seen.
"""

import csv
import gzip
import json
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from measuring.projection import MIN_STEPS, Whole, Window, project
from reporting.replay import replayed

REFERENCE = Path(__file__).parents[1] / "resources" / "reference"
SHARES = (0.1, 0.2, 0.3, 0.5)
COLUMNS = ("machine", "device", "recipe", "model", "mode", "time_share", "steps", "error", "half_width", "covered")


def read_windows(record: Path) -> list[Window]:
    """Return the times of each epoch of a run."""
    with gzip.open(record.with_name(f"{record.stem}.steps.csv.gz"), "rt") as file:
        steps = {epoch: list(rows) for epoch, rows in groupby(csv.DictReader(file), key=lambda row: row["epoch"])}
    epochs = csv.DictReader(record.with_suffix(".csv").read_text(encoding="utf-8").splitlines())
    return [
        Window(
            step_s=[float(step["step_s"]) for step in steps[row["epoch"]]],
            step_images=[int(step["images"]) for step in steps[row["epoch"]]],
            train_s=float(row["train_s"]),
            first_batch_s=float(row.get("first_batch_s") or 0.0),
        )
        for row in epochs
    ]


def whole_of(record: dict[str, Any], windows: list[Window]) -> Whole:
    """Return what the run did, as if it had been all."""
    images = sum(sum(window.step_images) for window in windows)
    batch_size = record["settings"]["recipe"]["batch_size"]
    epochs = len(windows) if record["mode"] == "measured" else 1
    return Whole(epochs=epochs, images_per_epoch=images // epochs, batch_size=batch_size)


def joined(windows: list[Window]) -> Window:
    """Return several epochs as one."""
    return Window(
        step_s=[seconds for window in windows for seconds in window.step_s],
        step_images=[images for window in windows for images in window.step_images],
        train_s=sum(window.train_s for window in windows),
        first_batch_s=windows[0].first_batch_s,
    )


def rows_of(path: Path) -> Iterator[dict[str, Any]]:
    """Return a row for each share of the time of a run."""
    record, windows = json.loads(path.read_text(encoding="utf-8")), read_windows(path)
    whole = whole_of(record, windows)
    windows = windows if record["mode"] == "measured" else [joined(windows)]
    seconds = sum(window.train_s for window in windows)
    for share in SHARES:
        seen = replayed(windows, whole, share * seconds, None)
        steps = sum(len(window.step_s) for window in seen)
        if steps < 4 * MIN_STEPS:  # shorter than any real budget
            continue
        projection = project(seen, whole)
        low_s, high_s = projection.projected_train_low_s, projection.projected_train_high_s
        yield {
            "machine": path.relative_to(REFERENCE).parts[0] if path.is_relative_to(REFERENCE) else "",
            **{name: record[name] for name in ("device", "recipe", "model", "mode")},
            "time_share": share,
            "steps": steps,
            "error": f"{projection.projected_train_s / seconds - 1:+.3f}",
            "half_width": f"{projection.half_width:.3f}",
            "covered": low_s <= seconds <= high_s,
        }


def main(*folders: str) -> None:
    """Print the table."""
    table = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
    table.writeheader()
    for folder in map(Path, folders or [str(REFERENCE)]):
        for path in sorted(folder.glob("**/runs/*/*/*/*/[0-9]*.json")):
            if not path.name.endswith(".prov.json") and json.loads(path.read_text(encoding="utf-8"))["mode"]:
                table.writerows(rows_of(path))


if __name__ == "__main__":
    main(*sys.argv[1:])
