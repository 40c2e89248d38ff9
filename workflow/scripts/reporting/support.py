"""What a claim needs before its number is looked at: every run ended well, enough of them, and they learned."""

from collections.abc import Mapping, Sequence
from typing import Any

from reporting.learning import LEARNED
from reporting.statistics import StatisticsSettings

Row = Mapping[str, Any]


def why_no_claim(rows: Sequence[Row], settings: StatisticsSettings) -> str | None:
    """Why rows of speedup.csv support no claim, in a sentence, or None."""
    return _estimated(rows) or _failed(rows) or _few(rows, settings) or _not_learned(rows)


def _estimated(rows: Sequence[Row]) -> str | None:
    names = [row["model"] for row in rows if "estimated" in (row["cpu_mode"], row["gpu_mode"])]
    if not names:
        return None
    return f"Not all epochs were run ({', '.join(names)} estimated on a side): a claim needs measured runs."


def _failed(rows: Sequence[Row]) -> str | None:
    failed = [f"{row['model']}: {row['failures']}" for row in rows if row["failures"]]
    return f"{'; '.join(failed)}: a claim needs every planned run to end well." if failed else None


def _few(rows: Sequence[Row], settings: StatisticsSettings) -> str | None:
    few = too_few(processes(rows), settings)
    return f"{few}." if few else None


def processes(rows: Sequence[Row]) -> list[int]:
    """How many processes there are on each side of these rows of speedup.csv or parity.csv."""
    return [int(row[name]) for row in rows for name in ("n_cpu", "n_gpu")]


def too_few(counts: Sequence[int], settings: StatisticsSettings) -> str | None:
    """What is said of fewer processes than a claim needs, without a full stop, or None."""
    fewest = min(counts)
    if fewest >= settings.min_claim_repeats:
        return None
    return f"n = {fewest}: a claim needs {settings.min_claim_repeats} processes on each side"


def _not_learned(rows: Sequence[Row]) -> str | None:
    wrong = [f"{row['model']}: {row['learning']}" for row in rows if row["learning"] != LEARNED]
    return f"{'; '.join(wrong)}: a claim needs training that learns alike on both sides." if wrong else None
