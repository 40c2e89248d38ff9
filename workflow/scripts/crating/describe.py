"""Describe a folder of results as a Provenance Run Crate."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from crating.actions import add_action, add_run
from crating.context import Context
from crating.files import add_file
from crating.graph import Graph, Reference
from crating.jobs import jobs_of
from crating.parameters import Parameters
from crating.workflow import add_workflow
from lineage.digest import Fingerprint
from lineage.sidecar import Sidecar

PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": "Process Run Crate",
    "https://w3id.org/ro/wfrun/workflow/0.5": "Workflow Run Crate",
    "https://w3id.org/ro/wfrun/provenance/0.5": "Provenance Run Crate",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": "Workflow RO-Crate",
}
DESCRIPTOR = ("https://w3id.org/ro/crate/1.1", "https://w3id.org/workflowhub/workflow-ro-crate/1.0")


@dataclass(frozen=True, kw_only=True)
class About:
    """What the crate says that no sidecar knows."""

    agent: str | None  # who ran the study
    agent_url: str | None  # an ORCID or another address of them
    license: str | None  # address of the licence of the results


def describe(
    history: Mapping[str, Sidecar], definition: Fingerprint, about: About, results: str, directory: Path
) -> str:
    """Return the crate as JSON-LD. The same sidecars give the same text.

    `history`: the sidecars of all files of the crate, by file; `definition`: the file of the workflow, which lies in
    the crate too; `results`: the folder of the crate, as sidecars spell it, below `directory`.
    """
    graph, jobs = Graph(), jobs_of(history)
    context = Context(
        graph=graph,
        history=history,
        jobs=jobs,
        parameters=Parameters(jobs, history),
        agent=_add_agent(graph, about),
        results=results,
        directory=directory,
    )
    for made in history.values():
        add_file(context, made)
    workflow = add_workflow(context, definition)
    actions = [add_action(context, job) for job in jobs]
    run = add_run(context, workflow)
    _describe_root(context, about, workflow, [*actions, run])
    return graph.text()


def _add_agent(graph: Graph, about: About) -> Reference:
    name = about.agent or "whoever ran the workflow (not named)"
    return graph.add(about.agent_url or "#agent", "Person", name=name)


def _describe_root(context: Context, about: About, workflow: Reference, actions: list[Reference]) -> None:
    graph = context.graph
    graph.extend({"@id": "ro-crate-metadata.json"}, "CreativeWork", conformsTo=[{"@id": name} for name in DESCRIPTOR])
    graph.extend(
        {"@id": "./"},
        "Dataset",
        name="Training times measured by gpu-training-speedup",
        description=(
            "Records of training runs, the tables and figures made from them, and the jobs that made each file. "
            "Beside each file F stands its sidecar F.prov.json, from which this description was written."
        ),
        datePublished=context.ended,
        license=_license(graph, about),
        conformsTo=[_add_profile(graph, *profile) for profile in PROFILES.items()],
        author=context.agent,
        mainEntity=workflow,
        mentions=actions,
    )


def _license(graph: Graph, about: About) -> Reference | str:
    if about.license is None:
        return "No licence is stated."
    return graph.add(about.license, "CreativeWork", name=about.license.rstrip("/").rpartition("/")[2])


def _add_profile(graph: Graph, address: str, name: str) -> Reference:
    return graph.add(address, "CreativeWork", name=name, version=address.rpartition("/")[2])
