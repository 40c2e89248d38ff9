"""The least time of a training step on a device, by the rates that were measured on it."""

import pandas as pd

ADAM_BYTES = 28
"""Of each weight, float32: read with its gradient and two averages, and written with the averages."""
PLACE = ["device", "device_name", "ceiling_precision"]
RATES = ["ceiling_flop_per_s", "ceiling_bytes_per_s"]


def with_best_ceilings(runs: pd.DataFrame) -> pd.DataFrame:
    """Rows of runs.csv, each with the best rates of its device and arithmetic in the whole table.

    A ceiling belongs to the device, whatever model and recipe was trained before it was measured.
    """
    return runs.assign(**runs.groupby(PLACE, dropna=False)[RATES].transform("max"))


def roofline_ms(run: pd.Series) -> float | None:
    """The milliseconds of a step's arithmetic, or of the optimizer's bytes if these take longer, at the ceilings.

    Convolutions count as direct ones, and the images between the layers are not counted.
    """
    images = run["images_total"] / run["steps_total"]
    arithmetic_s = run["training_flop_per_sample"] * images / run["ceiling_flop_per_s"]
    bytes_s = ADAM_BYTES * run["parameters"] / run["ceiling_bytes_per_s"] if "adam" in run["optimizer"] else 0.0
    known_s = [seconds for seconds in (arithmetic_s, bytes_s) if not pd.isna(seconds)]
    return 1000 * max(known_s) if known_s else None
