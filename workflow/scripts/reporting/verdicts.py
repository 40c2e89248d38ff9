"""The verdicts on a statement, and how a row of replication.csv states one."""

from collections.abc import Mapping
from typing import Any

from reporting.statistics import Estimate

CONFIRMED, NOT_CONFIRMED, INCONCLUSIVE, NOT_TESTABLE = "confirmed", "not confirmed", "inconclusive", "not testable"
VERDICTS = {"inside": CONFIRMED, "outside": NOT_CONFIRMED, "across": INCONCLUSIVE}
Row = dict[str, Any]


def verdict(name: str, reason: str, estimate: Estimate | None = None) -> Row:
    """The columns ours, ours_low, ours_high, verdict and reason."""
    values = (estimate.value, estimate.low, estimate.high) if estimate else (None, None, None)
    return {**dict(zip(("ours", "ours_low", "ours_high"), values, strict=True)), "verdict": name, "reason": reason}


def read_estimate(row: Mapping[str, Any], name: str) -> Estimate:
    """Value and interval from the columns `name`, `name`_low and `name`_high of a row."""
    return Estimate(value=row[name], low=row[f"{name}_low"], high=row[f"{name}_high"])
