"""Formal parameters: what a tool and the workflow as a whole read, write and are told, by pattern or name."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import quote

from crating.graph import Graph, Reference
from crating.jobs import Job
from crating.patterns import pattern_of
from crating.tools import tool_id
from lineage.sidecar import Sidecar

WORKFLOW = "#workflow"
READS, WRITES, IS_TOLD = "input", "output", "setting"


@dataclass(frozen=True, order=True)
class Parameter:
    """One formal parameter of a tool or of the workflow."""

    owner: str  # identifier of the tool, or WORKFLOW
    role: str
    name: str  # pattern of a file, or name of a setting

    @property
    def reference(self) -> Reference:
        """How other entities refer to it."""
        return {"@id": f"{self.owner}/{self.role}/{quote(self.name)}"}


class Parameters:
    """All formal parameters of some jobs, and which of them a file or a setting is an example of."""

    def __init__(self, jobs: Iterable[Job], history: Mapping[str, Sidecar]) -> None:
        """`history`: the sidecars of all files that a job made, by file."""
        self._history = history
        self._of_files: dict[str, set[Parameter]] = defaultdict(set)
        self._settings: set[Parameter] = set()
        for job in jobs:
            self._note(job)

    def of_file(self, name: str) -> list[Reference]:
        """Return what this file is an example of."""
        return [parameter.reference for parameter in sorted(self._of_files[name])]

    def of_owner(self, owner: str, role: str) -> list[Reference]:
        """Return the parameters of a tool or of the workflow in one role."""
        return [one.reference for one in sorted(self._all()) if (one.owner, one.role) == (owner, role)]

    def connections(self) -> Iterator[tuple[Parameter, Parameter]]:
        """Yield each pair of which the second gets the file of the first."""
        pairs = set()
        for parameters in self._of_files.values():
            gives = [one for one in parameters if (one.role == WRITES) != (one.owner == WORKFLOW)]
            takes = parameters.difference(gives)
            pairs |= {(source, target) for source in gives for target in takes}
        yield from sorted(pairs)

    def add(self, graph: Graph) -> None:
        """Add every parameter to the graph."""
        for one in sorted(self._all()):
            kind = "Text" if one.role == IS_TOLD else "File"
            graph.add(one.reference["@id"], "FormalParameter", name=one.name, additionalType=kind)

    def _all(self) -> set[Parameter]:
        return self._settings.union(*self._of_files.values())

    def _note(self, job: Job) -> None:
        tool = tool_id(job)
        self._settings |= {setting_of(tool, name) for name in [*job.made.wildcards, *job.made.params]}
        for known in job.outputs:
            self._note_file(known.file, Parameter(tool, WRITES, self._pattern(known.file)))
            self._note_file(known.file, Parameter(WORKFLOW, WRITES, self._pattern(known.file)))
        for known in job.made.inputs:
            self._note_file(known.file, Parameter(tool, READS, self._pattern(known.file)))
            if known.file not in self._history:
                self._note_file(known.file, Parameter(WORKFLOW, READS, known.file))

    def _note_file(self, name: str, parameter: Parameter) -> None:
        self._of_files[name].add(parameter)

    def _pattern(self, name: str) -> str:
        made = self._history.get(name)
        return pattern_of(name, made.wildcards if made else {})


def setting_of(tool: str, name: str) -> Parameter:
    """Return the parameter of a tool through which it is told a wildcard or a setting."""
    return Parameter(tool, IS_TOLD, name)
