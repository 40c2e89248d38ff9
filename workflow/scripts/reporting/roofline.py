"""The least time of a training step on a device, by the rates that were measured on it."""

import pandas as pd

OPTIMIZER_BYTES = {"adam": 28, "adamw": 28, "sgd": 12}
"""Of each weight, float32: read with its gradient, and written. Adam's two averages are read and written too."""
PLACE = ["device", "device_name"]
SAME = {"ceiling_flop_per_s": [*PLACE, "ceiling_precision"], "ceiling_bytes_per_s": PLACE}
"""What the runs of a table have in common that measured the same rate: a copy does no arithmetic."""


def with_best_ceilings(runs: pd.DataFrame) -> pd.DataFrame:
    """Rows of runs.csv, each with the best rates of its device and arithmetic in the whole table.

    A ceiling belongs to the device, whatever model and recipe was trained before it was measured.
    """
    return runs.assign(**{rate: runs.groupby(same, dropna=False)[rate].transform("max") for rate, same in SAME.items()})


def roofline_ms(run: pd.Series) -> float | None:
    """The milliseconds of a step's arithmetic, or of the optimizer's bytes if these take longer, at the ceilings.

    Convolutions count as direct ones, and the images between the layers are not counted.
    """
    images = run["images_total"] / run["steps_total"]
    arithmetic_s = run["training_flop_per_sample"] * images / run["ceiling_flop_per_s"]
    bytes_s = OPTIMIZER_BYTES[run["optimizer"]] * run["parameters"] / run["ceiling_bytes_per_s"]
    known_s = [seconds for seconds in (arithmetic_s, bytes_s) if not pd.isna(seconds)]
    return 1000 * max(known_s) if known_s else None
