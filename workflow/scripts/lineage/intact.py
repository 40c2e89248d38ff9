"""Whether a file is still what its sidecar says, asked before anything is built from it."""

from pathlib import Path

from lineage.digest import fingerprint
from lineage.job import UserError
from lineage.sidecar import SidecarError, read_sidecar, sidecar_path


def require_intact(path: str | Path, remedy: str) -> None:
    """UserError with the remedy when a file was changed after the job that made it; one without a sidecar passes."""
    path = Path(path)
    try:
        made = read_sidecar(sidecar_path(path)) if sidecar_path(path).exists() else None
    except SidecarError as error:
        raise UserError(f"{sidecar_path(path)} {error}: {remedy}.") from None
    if made is not None and fingerprint(path.name, path.parent).sha256 != made.sha256:
        raise UserError(f"{path}: was changed after it was made, as the hash in its sidecar shows: {remedy}.")
