"""What all parts of a description share."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from crating.graph import Graph, Reference
from crating.jobs import Job
from crating.parameters import Parameters
from lineage.sidecar import Sidecar


@dataclass(frozen=True, kw_only=True)
class Context:
    """The crate under construction, and what it is about."""

    graph: Graph
    history: Mapping[str, Sidecar]  # the sidecars of all files that a job made, by file
    jobs: list[Job]  # that made them, in the order of their start
    parameters: Parameters
    agent: Reference  # who ran them
    results: str  # the folder of the crate, as sidecars spell it
    directory: Path  # to which names in sidecars are relative

    @property
    def started(self) -> str:
        """When the first job started."""
        return min(job.made.started for job in self.jobs)

    @property
    def ended(self) -> str:
        """When the last job ended."""
        return max(job.ended for job in self.jobs)
