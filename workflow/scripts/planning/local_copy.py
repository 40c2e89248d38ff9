"""Refuses, before any job, a dataset whose only source is a copy that is not there."""

from pathlib import Path
from typing import Any

from lineage.job import UserError


def require_copy_if_only_source(name: str, definition: dict[str, Any]) -> None:
    """Raise UserError if `local` is the only source of the dataset `name` and its `local_path` leads to nothing."""
    if definition.get("sources") != ["local"]:
        return
    path = definition["local_path"]
    if path is None or not Path(path).expanduser().exists():
        raise UserError(
            f"config.datasets.{name}.local_path is {'null' if path is None else repr(path)}, expected a folder or "
            "archive that exists, as `local` is the only source: correct it, or add author, zenodo or npm to sources."
        )
