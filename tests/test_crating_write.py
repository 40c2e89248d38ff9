"""crating.write: the crate that describes a folder of results."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from crates import Outcome, filled_cache, validate
from crating.write import write_crate
from lineage.digest import fingerprint
from lineage.sidecar import read_sidecar, write_sidecar
from results_tree import DATA, FIGURE, FILES, RUNS, SERVED, TABLE, make_results, outputs_of

NOBODY = {"agent": None, "agent_url": None, "license": None}
SOMEBODY = {"agent": "Ada", "agent_url": "https://orcid.org/0000-0000-0000-0000", "license": "https://host/CC0-1.0"}


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return filled_cache(tmp_path_factory.mktemp("contexts") / "cache")


@pytest.fixture(autouse=True)
def results(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_results(tmp_path)
    Path("results/workflow").mkdir()


def crate(files: list[str] = FILES, about: dict | None = None) -> dict[str, dict]:
    """Write the crate and return its entities by identifier."""
    write_crate(
        files=files,
        about=json.dumps(about or NOBODY),
        workflow="Snakefile",
        crate="results/ro-crate-metadata.json",
        definition="results/workflow/Snakefile",
    )
    entities = json.loads(Path("results/ro-crate-metadata.json").read_text())["@graph"]
    return {entity["@id"]: entity for entity in entities}


def of_type(entities: dict[str, dict], kind: str) -> list[dict]:
    return [entity for entity in entities.values() if entity["@type"] == kind]


def ids(value) -> set[str]:
    return {one["@id"] for one in (value if isinstance(value, list) else [value])}


def job(entities: dict[str, dict], name: str) -> dict:
    (found,) = [entity for entity in of_type(entities, "CreateAction") if entity["name"] == name]
    return found


def test_the_crate_has_every_property_that_the_profile_requires(cache):
    crate()
    assert validate(Path("results"), cache) == Outcome(issues=[], checks=85, passed=85, skipped=0)


def test_a_crate_of_one_device_alone_is_valid_too(cache):
    crate([*outputs_of("cnn", "cpu"), *outputs_of("vit", "cpu")], SOMEBODY)
    assert validate(Path("results"), cache) == Outcome(issues=[], checks=85, passed=85, skipped=0)


@pytest.mark.parametrize(
    ("kind", "name", "complaint"),
    [
        ("CreateAction", "instrument", "MUST have an instrument"),
        ("ControlAction", "object", "must reference the action"),
        ("OrganizeAction", "result", "must reference the action representing the workflow run"),
        ("HowToStep", "workExample", "must refer to its corresponding tool"),
        ("Dataset", "conformsTo", "consistent with the versioned permalink"),
    ],
)
def test_a_crate_that_lacks_a_required_property_is_refused(cache, kind, name, complaint):
    entity = of_type(crate(), kind)[0]
    path = Path("results/ro-crate-metadata.json")
    content = json.loads(path.read_text())
    (same,) = [other for other in content["@graph"] if other["@id"] == entity["@id"]]
    del same[name]
    path.write_text(json.dumps(content))
    outcome = validate(Path("results"), cache)
    assert any(complaint in issue for issue in outcome.issues), outcome.issues
    assert outcome.passed < outcome.checks


def test_a_crate_without_its_workflow_file_is_refused(cache):
    crate()
    Path("results/workflow/Snakefile").unlink()
    assert any("workflow/Snakefile not found" in issue for issue in validate(Path("results"), cache).issues)


def test_every_file_is_listed_with_its_hash_and_size():
    entities = crate()
    listed = {name: entities[name.removeprefix("results/")] for name in FILES}
    for name, entity in listed.items():
        known = fingerprint(name, Path())
        assert (entity["@type"], entity["sha256"], entity["contentSize"]) == ("File", known.sha256, str(known.size))
    assert ids(entities["./"]["hasPart"]) == {entity["@id"] for entity in listed.values()} | {"workflow/Snakefile"}
    assert entities["workflow/Snakefile"]["sha256"] == fingerprint("Snakefile", Path()).sha256


def test_a_job_says_when_where_by_whom_with_what_and_what_it_read_and_wrote():
    entities = crate(about=SOMEBODY)
    action = job(entities, "train vit gpu 1")
    assert (action["startTime"], action["endTime"]) == ("2026-12-01T10:00:00+00:00", "2026-12-01T10:00:05+00:00")
    assert ids(action["result"]) == {name.removeprefix("results/") for name in outputs_of("vit", "gpu")}
    assert "data/d.npz" in ids(action["object"])
    settings = {entities[name]["name"]: entities[name]["value"] for name in ids(action["object"]) if "#value" in name}
    assert settings == {"model": "vit", "device": "gpu", "repeat": "1", "settings": '{"epochs": 2}', "width": 3.4}
    assert entities[action["agent"]["@id"]]["name"] == "Ada"
    machine = entities[action["location"]["@id"]]
    assert (machine["name"], machine["description"]) == ("node1", "cpu_name: a CPU")
    tool = entities[action["instrument"]["@id"]]
    assert (tool["name"], tool["softwareVersion"]) == ("train", read_sidecar(Path(f"{RUNS[0]}.prov.json")).code_sha256)
    assert ids(tool["softwareRequirements"]) == {"#software-python-3.11.7", "#software-snakemake-9.27.1"}
    assert "c" * 40 in action["description"]


def test_four_runs_of_one_rule_are_four_actions_of_one_tool_and_one_step():
    entities = crate()
    tools = {entity["instrument"]["@id"] for entity in of_type(entities, "CreateAction") if "train" in entity["name"]}
    assert len(tools) == 1
    assert len(of_type(entities, "HowToStep")) == 4  # dataset, train, collect, plot
    assert len(of_type(entities, "ControlAction")) == 7
    assert ids(of_type(entities, "OrganizeAction")[0]["object"]) == {
        e["@id"] for e in of_type(entities, "ControlAction")
    }


def test_what_came_from_outside_is_named_with_its_public_address():
    entities = crate()
    (fetched,) = [entities[name] for name in ids(job(entities, "dataset d")["object"]) if "#outside" in name]
    assert (fetched["name"], fetched["url"], fetched["sha256"]) == ("images.tar.gz", SERVED.url, "a" * 64)
    (facts,) = [entities[name] for name in ids(job(entities, "collect")["object"]) if "#outside" in name]
    assert facts["name"] == "facts.yaml" and "url" not in facts
    assert ids(entities["#run"]["object"]) == {facts["@id"]}


def test_files_pass_from_the_parameter_that_writes_them_to_those_that_read_them():
    entities = crate()
    passed = {
        (
            entities[c["sourceParameter"]["@id"]]["name"],
            c["sourceParameter"]["@id"][:5],
            c["targetParameter"]["@id"][:5],
        )
        for c in of_type(entities, "ParameterConnection")
    }
    assert ("results/data/{dataset}.npz", "#data", "#trai") in passed
    assert ("results/runs/{model}/{device}/{repeat}.json", "#trai", "#coll") in passed
    assert ("facts.yaml", "#work", "#coll") in passed
    assert ("results/figures/f.png", "#plot", "#work") in passed


def test_an_input_that_changed_since_is_not_taken_for_the_file_in_the_crate():
    made = read_sidecar(Path(f"{DATA}.prov.json"))
    write_sidecar(replace(made, sha256="b" * 64), Path())
    entities = crate()
    assert entities["data/d.npz"]["sha256"] == "b" * 64
    (read,) = [entities[name] for name in ids(job(entities, "train cnn cpu 1")["object"]) if "#outside" in name]
    assert (read["name"], read["sha256"]) == (DATA, made.sha256)


def test_the_same_sidecars_give_the_same_bytes_in_whatever_order_the_files_are_named():
    crate()
    before = Path("results/ro-crate-metadata.json").read_bytes()
    shutil.rmtree("results/workflow")
    Path("results/workflow").mkdir()
    crate([FIGURE, TABLE, *reversed(RUNS), DATA])
    assert Path("results/ro-crate-metadata.json").read_bytes() == before


def test_an_agent_and_a_licence_that_are_not_configured_are_said_to_be_unknown():
    entities = crate()
    assert entities["./"]["license"] == "No licence is stated."
    assert "not named" in entities["#agent"]["name"]
    assert crate(about=SOMEBODY)["./"]["license"] == {"@id": SOMEBODY["license"]}
