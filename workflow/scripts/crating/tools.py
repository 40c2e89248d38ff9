"""Tools: a rule with its code in its software, as one or more jobs ran it."""

from crating.graph import Graph, Reference
from crating.jobs import Job, short_hash


def tool_id(job: Job) -> str:
    """Return the identifier of what a job ran; other code or other software is another tool."""
    made = job.made
    return f"#{made.rule}-{short_hash([made.rule, made.code_sha256, dict(made.software)])}"


def step_id(job: Job) -> str:
    """Return the identifier of the step of the workflow that runs this job's tool."""
    return f"{tool_id(job)}/step"


def add_software(graph: Graph, name: str, version: str) -> Reference:
    """Add one package in one version."""
    return graph.add(f"#software-{name}-{version}", "SoftwareApplication", name=name, softwareVersion=version)
