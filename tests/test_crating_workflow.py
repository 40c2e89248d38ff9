"""crating.workflow: its file, steps, tools and how files pass between them."""

from dataclasses import replace
from pathlib import Path

import pytest

from crate_entities import entities, ids, of_type
from lineage.sidecar import read_sidecar, write_sidecar
from results_tree import FIGURE, make_results


@pytest.fixture(autouse=True)
def results(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_results(tmp_path)


def test_four_runs_of_one_rule_are_four_actions_of_one_tool_and_one_step():
    found = entities()
    tools = {entity["instrument"]["@id"] for entity in of_type(found, "CreateAction") if "train" in entity["name"]}
    assert len(tools) == 1
    assert len(of_type(found, "HowToStep")) == 4  # dataset, train, collect, plot
    assert len(of_type(found, "ControlAction")) == 7
    assert ids(of_type(found, "OrganizeAction")[0]["object"]) == {e["@id"] for e in of_type(found, "ControlAction")}


def test_files_pass_from_the_parameter_that_writes_them_to_those_that_read_them():
    found = entities()
    passed = {
        (
            found[c["sourceParameter"]["@id"]]["name"],
            c["sourceParameter"]["@id"][:5],
            c["targetParameter"]["@id"][:5],
        )
        for c in of_type(found, "ParameterConnection")
    }
    assert ("results/data/{dataset}.npz", "#data", "#trai") in passed
    assert ("results/runs/{model}/{device}/{repeat}.json", "#trai", "#coll") in passed
    assert ("facts.yaml", "#work", "#coll") in passed
    assert ("results/figures/f.png", "#plot", "#work") in passed


def test_the_workflow_is_the_main_entity_with_its_tools_language_licence_and_version():
    found = entities()
    workflow = found["workflow/Snakefile"]
    assert found["./"]["mainEntity"] == {"@id": "workflow/Snakefile"}
    assert {"File", "ComputationalWorkflow", "HowTo"} <= set(workflow["@type"])
    tools = {action["instrument"]["@id"] for action in of_type(found, "CreateAction")} - {"workflow/Snakefile"}
    assert ids(workflow["hasPart"]) == tools and len(tools) == 4
    assert found[workflow["license"]["@id"]]["name"] == "MIT License"
    assert found[workflow["programmingLanguage"]["@id"]]["name"] == "Snakemake"
    assert workflow["version"] == "c" * 40


def test_the_steps_are_numbered_in_the_order_in_which_their_jobs_started():
    found = entities()
    steps = sorted(of_type(found, "HowToStep"), key=lambda step: int(step["position"]))
    assert [step["position"] for step in steps] == ["1", "2", "3", "4"]
    assert {step["name"] for step in steps} == {"dataset", "train", "collect", "plot"}
    assert all(found[step["workExample"]["@id"]]["name"] == step["name"] for step in steps)


def test_every_version_of_the_engine_is_named():
    made = read_sidecar(Path(f"{FIGURE}.prov.json"))
    write_sidecar(replace(made, software={"python": "3.12.1", "snakemake": "9.1.0"}), Path())
    assert entities()["#engine"]["softwareVersion"] == "9.1.0, 9.27.1"


def test_outside_of_a_repository_there_is_no_version():
    for path in Path("results").rglob("*.prov.json"):
        write_sidecar(replace(read_sidecar(path), git=None), Path())
    assert "version" not in entities()["workflow/Snakefile"]
