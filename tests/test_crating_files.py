"""crating.files: files of the crate, and those from outside of it."""

from dataclasses import replace
from pathlib import Path

import pytest

from crate_entities import context, entities, ids, job
from crating.files import add_file
from lineage.digest import Fingerprint, fingerprint
from lineage.sidecar import read_sidecar, write_sidecar
from results_tree import DATA, FILES, SERVED, make_results


@pytest.fixture(autouse=True)
def results(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_results(tmp_path)


def test_every_file_is_listed_with_its_hash_and_size():
    found = entities()
    listed = {name: found[name.removeprefix("results/")] for name in FILES}
    for name, entity in listed.items():
        known = fingerprint(name, Path())
        assert (entity["@type"], entity["sha256"], entity["contentSize"]) == ("File", known.sha256, str(known.size))
    assert ids(found["./"]["hasPart"]) == {entity["@id"] for entity in listed.values()} | {"workflow/Snakefile"}
    assert found["workflow/Snakefile"]["sha256"] == fingerprint("Snakefile", Path()).sha256


def test_what_came_from_outside_is_named_with_its_public_address():
    found = entities()
    (fetched,) = [found[name] for name in ids(job(found, "dataset d")["object"]) if "#outside" in name]
    assert (fetched["name"], fetched["url"], fetched["sha256"]) == ("images.tar.gz", SERVED.url, "a" * 64)
    (facts,) = [found[name] for name in ids(job(found, "collect")["object"]) if "#outside" in name]
    assert facts["name"] == "facts.yaml" and "url" not in facts
    assert ids(found["#run"]["object"]) == {facts["@id"]}


def test_an_input_that_changed_since_is_not_taken_for_the_file_in_the_crate():
    made = read_sidecar(Path(f"{DATA}.prov.json"))
    write_sidecar(replace(made, sha256="b" * 64), Path())
    found = entities()
    assert found["data/d.npz"]["sha256"] == "b" * 64
    (read,) = [found[name] for name in ids(job(found, "train cnn cpu 1")["object"]) if "#outside" in name]
    assert (read["name"], read["sha256"]) == (DATA, made.sha256)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("runs/1.json", "application/json"),
        ("runs/1.csv", "text/csv"),
        ("runs/1.steps.csv.gz", "application/gzip"),
        ("data/d.npz", "application/zip"),
        ("figures/f.svg", "image/svg+xml"),
        ("data/d.sha256", "text/plain"),
    ],
)
def test_a_file_has_the_type_of_its_content(name, kind):
    empty = context()
    reference = add_file(empty, Fingerprint(file=f"results/{name}", sha256="0" * 64, size=1))
    entity = empty.graph.text()
    assert reference == {"@id": name} and f'"encodingFormat": "{kind}"' in entity


def test_a_copy_of_ones_own_has_no_address():
    made = read_sidecar(Path(f"{DATA}.prov.json"))
    write_sidecar(replace(made, sources=(replace(SERVED, name="local", url="local"),)), Path())
    found = entities()
    (fetched,) = [found[name] for name in ids(job(found, "dataset d")["object"]) if "#outside" in name]
    assert fetched["name"] == "images.tar.gz" and "url" not in fetched
