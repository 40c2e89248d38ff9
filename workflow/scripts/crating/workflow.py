"""The workflow as it was written: its file, its steps, their tools and how files pass between them."""

from collections import defaultdict
from collections.abc import Iterable

from crating.context import Context
from crating.files import add_file
from crating.graph import Reference
from crating.jobs import Job, short_hash
from crating.parameters import IS_TOLD, READS, WORKFLOW, WRITES, Parameter
from crating.tools import add_software, step_id, tool_id
from lineage.digest import Fingerprint

_ENGINE = "snakemake"
_PROFILE = "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"
_LICENSE = "https://spdx.org/licenses/MIT"


def add_workflow(context: Context, definition: Fingerprint) -> Reference:
    """Add the workflow; `definition` is its file, which lies in the crate."""
    context.parameters.add(context.graph)
    connections = _add_connections(context)
    tools = {tool_id(job): job for job in context.jobs}
    steps = [
        _add_step(context, position, job, connections[tool]) for position, (tool, job) in enumerate(tools.items(), 1)
    ]
    workflow = add_file(context, definition)
    context.graph.extend(
        workflow,
        ["File", "SoftwareSourceCode", "ComputationalWorkflow", "HowTo"],
        name="gpu-training-speedup",
        conformsTo={"@id": _PROFILE},
        license={"@id": _LICENSE},
        programmingLanguage=context.graph.add_language(),
        version=_version(context.jobs[-1]),
        hasPart=[{"@id": tool} for tool in tools],
        step=steps,
        input=context.parameters.of_owner(WORKFLOW, READS),
        output=context.parameters.of_owner(WORKFLOW, WRITES),
        connection=connections[WORKFLOW],
    )
    _add_engine(context)
    context.graph.add(_LICENSE, "CreativeWork", name="MIT License")
    return workflow


def _add_step(context: Context, position: int, job: Job, connections: list[Reference]) -> Reference:
    tool = tool_id(job)
    software = job.made.software.items()
    context.graph.add(
        tool,
        "SoftwareApplication",
        name=job.made.rule,
        description=f"The script of rule {job.made.rule}; its version is the hash of its code.",
        softwareVersion=job.made.code_sha256,
        softwareRequirements=[add_software(context.graph, name, str(version)) for name, version in software],
        input=context.parameters.of_owner(tool, READS) + context.parameters.of_owner(tool, IS_TOLD),
        output=context.parameters.of_owner(tool, WRITES),
    )
    return context.graph.add(
        step_id(job),
        "HowToStep",
        name=job.made.rule,
        position=str(position),
        workExample={"@id": tool},
        connection=connections,
    )


def _add_connections(context: Context) -> dict[str, list[Reference]]:
    """Add what passes between parameters; return it by the tool that takes it, or by WORKFLOW."""
    connections: dict[str, list[Reference]] = defaultdict(list)
    for source, target in context.parameters.connections():
        connections[target.owner].append(_add_connection(context, source, target))
    return connections


def _add_connection(context: Context, source: Parameter, target: Parameter) -> Reference:
    identifier = f"#connection-{short_hash([source.reference, target.reference])}"
    return context.graph.add(
        identifier, "ParameterConnection", sourceParameter=source.reference, targetParameter=target.reference
    )


def _version(job: Job) -> str | None:
    """Return the commit that the latest job ran, None where there was no repository."""
    git = job.made.git
    return f"{git['commit']}{' with changes' if git['dirty'] else ''}" if git and git["commit"] else None


def _add_engine(context: Context) -> Reference:
    versions: Iterable[str] = {str(job.made.software[_ENGINE]) for job in context.jobs if _ENGINE in job.made.software}
    return context.graph.add(
        "#engine",
        "SoftwareApplication",
        name="Snakemake",
        url="https://snakemake.readthedocs.io",
        softwareVersion=", ".join(sorted(versions)) or None,
    )
