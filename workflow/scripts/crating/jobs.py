"""The jobs that made a set of files, read from the sidecars of these files and of what they were made from."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lineage.digest import Fingerprint
from lineage.job import UserError
from lineage.sidecar import Sidecar, SidecarError, read_sidecar, sidecar_path


@dataclass(frozen=True, kw_only=True)
class Job:
    """One execution of a rule: what its sidecars have in common, and the files that it wrote."""

    made: Sidecar  # of the first of its outputs
    outputs: tuple[Fingerprint, ...]  # sorted by name
    ended: str  # when the last of its outputs was complete

    @property
    def id(self) -> str:
        """A name that the same job has in every crate: 12 hexadecimal digits."""
        return short_hash([self.made.rule, dict(self.made.wildcards), self.made.started, self.outputs[0].sha256])


def short_hash(value: Any) -> str:
    """Return 12 hexadecimal digits that stand for a value that JSON knows."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]


def read_history(files: Iterable[str], directory: Path) -> dict[str, Sidecar]:
    """Return the sidecars of these files and of all that they were made from, by file, sorted.

    Names are relative to `directory`. Raises UserError where one of `files` has no readable sidecar.
    """
    found: dict[str, Sidecar] = {}
    waiting = list(files)
    for name in waiting:
        if not sidecar_path(directory / name).exists():
            raise UserError(f"{name} has no sidecar, so nothing says where it comes from: delete it and run again.")
    while waiting:
        name = waiting.pop()
        path = sidecar_path(directory / name)
        if name not in found and path.exists():
            found[name] = _read(path)
            waiting += [known.file for known in found[name].inputs]
    return dict(sorted(found.items()))


def _read(path: Path) -> Sidecar:
    try:
        return read_sidecar(path)
    except SidecarError as error:
        raise UserError(f"{path} {error}; delete it and the file beside it and run the workflow again.") from error


def jobs_of(sidecars: Mapping[str, Sidecar]) -> list[Job]:
    """Return the jobs behind the sidecars, in the order in which they started."""
    groups: dict[str, list[Sidecar]] = defaultdict(list)
    for name in sorted(sidecars):
        groups[_identity(sidecars[name])].append(sidecars[name])
    return sorted(map(_job, groups.values()), key=lambda job: (job.made.started, job.made.rule, job.outputs[0].file))


def _identity(made: Sidecar) -> str:
    inputs = [vars(known) for known in made.inputs]
    return json.dumps([made.rule, dict(made.wildcards), inputs, made.code_sha256, made.host, made.started])


def _job(group: list[Sidecar]) -> Job:
    outputs = tuple(Fingerprint(file=made.file, sha256=made.sha256, size=made.size) for made in group)
    return Job(made=group[0], outputs=outputs, ended=max(made.ended for made in group))
