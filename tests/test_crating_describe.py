"""crating.describe: the root of the crate, and who made it."""

import pytest

from crate_entities import NOBODY, SOMEBODY, entities, ids, of_type
from crating.describe import PROFILES, About
from results_tree import DATA, FILES, make_results, outputs_of


@pytest.fixture(autouse=True)
def results(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_results(tmp_path)


def test_an_agent_and_a_licence_that_are_not_configured_are_said_to_be_unknown():
    found = entities(about=NOBODY)
    assert found["./"]["license"] == "No licence is stated."
    assert "not named" in found["#agent"]["name"]
    assert found["./"]["author"] == {"@id": "#agent"}


def test_an_agent_and_a_licence_that_are_configured_are_entities():
    found = entities(about=SOMEBODY)
    assert found["./"]["license"] == {"@id": SOMEBODY.license}
    assert found[SOMEBODY.license]["name"] == "CC0-1.0"
    assert found["./"]["author"] == {"@id": SOMEBODY.agent_url}
    assert found[SOMEBODY.agent_url]["name"] == "Ada"
    named = entities(about=About(agent="Ada", agent_url=None, license=None))
    assert named["#agent"]["name"] == "Ada"


def test_the_crate_states_its_profiles_with_their_versions():
    found = entities()
    assert ids(found["./"]["conformsTo"]) == set(PROFILES)
    assert found["https://w3id.org/ro/wfrun/provenance/0.5"]["version"] == "0.5"
    assert "https://w3id.org/ro/crate/1.1" in ids(found["ro-crate-metadata.json"]["conformsTo"])


def test_the_root_mentions_every_job_and_the_study_and_is_dated_by_the_last_end():
    found = entities()
    assert ids(found["./"]["mentions"]) == {action["@id"] for action in of_type(found, "CreateAction")}
    assert found["./"]["datePublished"] == "2026-12-01T10:00:05+00:00"


def test_files_that_nothing_leads_to_are_not_described():
    record = outputs_of("cnn", "cpu")[0]
    found = entities([record])
    listed = ids(found["./"]["hasPart"])
    assert listed == {DATA.removeprefix("results/"), record.removeprefix("results/"), "workflow/Snakefile"}
    assert len(listed) < len(FILES)
