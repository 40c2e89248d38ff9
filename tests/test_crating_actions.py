"""crating.actions: what each job and the study as a whole did."""

from dataclasses import replace
from pathlib import Path

import pytest

from crate_entities import SOMEBODY, entities, ids, job, of_type
from lineage.sidecar import read_sidecar, write_sidecar
from results_tree import FIGURE, FILES, RUNS, make_results, outputs_of


@pytest.fixture(autouse=True)
def results(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_results(tmp_path)


def test_a_job_says_when_where_by_whom_with_what_and_what_it_read_and_wrote():
    found = entities(about=SOMEBODY)
    action = job(found, "train vit gpu 1")
    assert (action["startTime"], action["endTime"]) == ("2026-12-01T10:00:00+00:00", "2026-12-01T10:00:05+00:00")
    assert ids(action["result"]) == {name.removeprefix("results/") for name in outputs_of("vit", "gpu")}
    assert "data/d.npz" in ids(action["object"])
    settings = {found[name]["name"]: found[name]["value"] for name in ids(action["object"]) if "#value" in name}
    assert settings == {"model": "vit", "device": "gpu", "repeat": "1", "settings": '{"epochs": 2}', "width": 3.4}
    assert found[action["agent"]["@id"]]["name"] == "Ada"
    machine = found[action["location"]["@id"]]
    assert (machine["name"], machine["description"]) == ("node1", "cpu_name: a CPU")
    tool = found[action["instrument"]["@id"]]
    assert (tool["name"], tool["softwareVersion"]) == ("train", read_sidecar(Path(f"{RUNS[0]}.prov.json")).code_sha256)
    assert ids(tool["softwareRequirements"]) == {"#software-python-3.11.7", "#software-snakemake-9.27.1"}
    assert "c" * 40 in action["description"]


def test_the_study_has_made_all_files_from_what_came_from_outside():
    found = entities()
    run = found["#run"]
    assert ids(run["result"]) == {name.removeprefix("results/") for name in FILES}
    assert {found[name]["name"] for name in ids(run["object"])} == {"facts.yaml"}
    assert (run["startTime"], run["endTime"]) == ("2026-12-01T10:00:00+00:00", "2026-12-01T10:00:05+00:00")
    assert "All 7 jobs" in run["description"]


def test_the_engine_controlled_each_job_and_the_study():
    found = entities()
    controls = of_type(found, "ControlAction")
    assert len(controls) == 7
    jobs = {action["@id"] for action in of_type(found, "CreateAction")} - {"#run"}
    assert {control["object"]["@id"] for control in controls} == jobs
    (orchestration,) = of_type(found, "OrganizeAction")
    assert ids(orchestration["object"]) == {control["@id"] for control in controls}
    assert (orchestration["result"], orchestration["instrument"]) == ({"@id": "#run"}, {"@id": "#engine"})


@pytest.mark.parametrize(
    ("git", "words"),
    [
        (None, "code of no repository."),
        ({"commit": "d" * 40, "dirty": True}, f"code of commit {'d' * 40} with changes."),
    ],
)
def test_a_job_says_of_which_commit_its_code_was(git, words):
    made = read_sidecar(Path(f"{FIGURE}.prov.json"))
    write_sidecar(replace(made, git=git), Path())
    assert job(entities(), "plot")["description"].endswith(words)


def test_a_setting_that_is_no_text_or_number_is_written_as_json():
    made = read_sidecar(Path(f"{FIGURE}.prov.json"))
    write_sidecar(replace(made, params={"both": ["b", "a"], "flag": True}), Path())
    found = entities()
    values = [found[name] for name in ids(job(found, "plot")["object"]) if "#value" in name]
    assert {value["name"]: value["value"] for value in values} == {"both": '["b", "a"]', "flag": True}
