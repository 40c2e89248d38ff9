"""crating.write: the crate that describes a folder of results."""

import json
import shutil
from dataclasses import asdict
from pathlib import Path

import pytest

from crate_entities import DEFINITION, NOBODY, SOMEBODY, by_identifier, make_definition, of_type
from crates import Outcome, filled_cache, validate
from crating.describe import About
from crating.write import write_crate
from results_tree import DATA, FIGURE, FILES, RUNS, TABLE, make_results, outputs_of


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return filled_cache(tmp_path_factory.mktemp("contexts") / "cache")


@pytest.fixture(autouse=True)
def results(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_results(tmp_path)
    make_definition()


def crate(files: list[str] = FILES, about: About = NOBODY) -> dict[str, dict]:
    """Write the crate and return its entities by identifier."""
    path = Path("results/ro-crate-metadata.json")
    write_crate(files=files, about=json.dumps(asdict(about)), definition=DEFINITION, crate=str(path))
    return by_identifier(path.read_text())


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


def test_a_file_may_be_named_by_its_sidecar():
    crate()
    before = Path("results/ro-crate-metadata.json").read_bytes()
    crate([f"{name}.prov.json" for name in FILES])
    assert Path("results/ro-crate-metadata.json").read_bytes() == before


def test_the_same_sidecars_give_the_same_bytes_in_whatever_order_the_files_are_named():
    crate()
    before = Path("results/ro-crate-metadata.json").read_bytes()
    shutil.rmtree("results/workflow")
    make_definition()
    crate([FIGURE, TABLE, *reversed(RUNS), DATA])
    assert Path("results/ro-crate-metadata.json").read_bytes() == before
