"""What crating.describe says of the small folder of results in results_tree, by identifier."""

import json
from collections.abc import Iterable
from pathlib import Path

from crating.context import Context
from crating.describe import About, describe
from crating.graph import Graph
from crating.jobs import jobs_of, read_history
from crating.parameters import Parameters
from lineage.digest import fingerprint
from results_tree import FILES

NOBODY = About(agent=None, agent_url=None, license=None)
SOMEBODY = About(agent="Ada", agent_url="https://orcid.org/0000-0000-0000-0000", license="https://host/CC0-1.0/")
DEFINITION = "results/workflow/Snakefile"


def make_definition() -> None:
    """Put the workflow's contents page beside the results, as its job does."""
    Path(DEFINITION).parent.mkdir(exist_ok=True)
    Path(DEFINITION).write_bytes(Path("Snakefile").read_bytes())


def entities(files: Iterable[str] = FILES, about: About = NOBODY) -> dict[str, dict]:
    """Describe these files of the current folder."""
    make_definition()
    history = read_history(files, Path())
    return by_identifier(describe(history, fingerprint(DEFINITION, Path()), about, "results", Path()))


def by_identifier(text: str) -> dict[str, dict]:
    """The entities of a crate."""
    return {entity["@id"]: entity for entity in json.loads(text)["@graph"]}


def context(files: Iterable[str] = FILES) -> Context:
    """A crate of these files under construction, still empty."""
    history = read_history(files, Path())
    jobs = jobs_of(history)
    return Context(
        graph=Graph(),
        history=history,
        jobs=jobs,
        parameters=Parameters(jobs, history),
        agent={"@id": "#agent"},
        results="results",
        directory=Path(),
    )


def of_type(found: dict[str, dict], kind: str) -> list[dict]:
    """The entities of exactly this type."""
    return [entity for entity in found.values() if entity["@type"] == kind]


def ids(value: dict | list) -> set[str]:
    """What one reference or several refer to."""
    return {one["@id"] for one in (value if isinstance(value, list) else [value])}


def job(found: dict[str, dict], name: str) -> dict:
    """The action of the job with this name."""
    (action,) = [entity for entity in of_type(found, "CreateAction") if entity["name"] == name]
    return action
