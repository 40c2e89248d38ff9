"""Whether this user may write where the workflow will, asked before any job starts."""

import os
from collections.abc import Iterable
from pathlib import Path

from lineage.job import UserError

ENGINE = (".snakemake",)
RESULTS = tuple(f"results/{name}" for name in ("data", "logs", "runs", "breakdown", "tables", "figures"))


def require_writable(paths: Iterable[str], folder: Path | None = None) -> None:
    """Raise UserError for the first of these folders, or the closest one above it that exists, that is closed to us."""
    for path in paths:
        place = (folder or Path()).absolute() / path
        while not place.exists():
            place = place.parent
        if not os.access(place, os.W_OK | os.X_OK):
            raise UserError(
                f"{place} cannot be written by your user, or lies on a read-only disk: change its owner or its rights, "
                "or work in a folder of your own."
            )
