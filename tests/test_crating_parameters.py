"""crating.parameters: what tools and the workflow read, write and are told."""

from pathlib import Path

import pytest

from crate_entities import by_identifier
from crating.graph import Graph
from crating.jobs import jobs_of, read_history
from crating.parameters import IS_TOLD, READS, WORKFLOW, WRITES, Parameters, setting_of
from crating.tools import tool_id
from results_tree import DATA, FIGURE, FILES, RUNS, TABLE, make_results

RECORD, EPOCHS = "results/runs/{model}/{device}/{repeat}.json", "results/runs/{model}/{device}/{repeat}.csv"
IMAGES = "results/data/{dataset}.npz"


@pytest.fixture
def known(tmp_path, monkeypatch):
    """The parameters of the small study, and the tool of each of its rules."""
    monkeypatch.chdir(tmp_path)
    make_results(tmp_path)
    history = read_history(FILES, Path())
    jobs = jobs_of(history)
    return Parameters(jobs, history), {job.made.rule: tool_id(job) for job in jobs}


def names(references: list[dict[str, str]], owner: str, role: str) -> list[str]:
    """The last parts of some references, unquoted where it matters here."""
    prefix = f"{owner}/{role}/"
    assert all(one["@id"].startswith(prefix) for one in references)
    return [one["@id"].removeprefix(prefix).replace("%7B", "{").replace("%7D", "}") for one in references]


def of(known, owner, role):
    parameters, _ = known
    return names(parameters.of_owner(owner, role), owner, role)


def test_runs_of_one_rule_share_parameters_with_wildcards_in_place_of_their_values(known):
    train = known[1]["train"]
    assert of(known, train, WRITES) == [EPOCHS, RECORD]
    assert of(known, train, READS) == [IMAGES]
    assert of(known, train, IS_TOLD) == ["device", "model", "repeat", "settings", "width"]


def test_the_workflow_reads_what_no_job_made_and_writes_what_jobs_made(known):
    assert of(known, WORKFLOW, READS) == ["facts.yaml"]
    assert of(known, WORKFLOW, WRITES) == [IMAGES, FIGURE, EPOCHS, RECORD, TABLE]
    assert of(known, WORKFLOW, IS_TOLD) == []


def test_a_file_is_an_example_of_each_parameter_that_it_passes(known):
    parameters, tools = known
    owners = {one["@id"].rpartition("/results")[0] for one in parameters.of_file(RUNS[0])}
    assert owners == {f"{tools['train']}/output", f"{WORKFLOW}/output", f"{tools['collect']}/input"}
    assert parameters.of_file("results/never.csv") == []


def test_files_pass_from_their_maker_to_its_users_and_to_the_workflow(known):
    parameters, tools = known
    words = {tool: rule for rule, tool in tools.items()} | {WORKFLOW: "workflow"}
    passed = {(words[one.owner], words[other.owner], one.name) for one, other in parameters.connections()}
    assert passed == {
        ("dataset", "train", IMAGES),
        ("dataset", "workflow", IMAGES),
        ("train", "collect", RECORD),
        ("train", "collect", EPOCHS),
        ("train", "workflow", RECORD),
        ("train", "workflow", EPOCHS),
        ("workflow", "collect", "facts.yaml"),
        ("collect", "plot", TABLE),
        ("collect", "workflow", TABLE),
        ("plot", "workflow", FIGURE),
    }


def test_every_parameter_is_an_entity_with_its_kind(known):
    parameters, tools = known
    graph = Graph()
    parameters.add(graph)
    found = by_identifier(graph.text())
    assert found[setting_of(tools["train"], "settings").reference["@id"]]["additionalType"] == "Text"
    (images,) = parameters.of_owner(tools["train"], READS)
    entity = found[images["@id"]]
    assert (entity["@type"], entity["additionalType"], entity["name"]) == ("FormalParameter", "File", IMAGES)
    assert DATA not in {entity.get("name") for entity in found.values()}
