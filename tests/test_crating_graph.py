"""crating.graph: what is added in any order is written in one, each thing once."""

import json

from crate_entities import by_identifier
from crating.graph import Graph


def written(graph: Graph) -> list[dict]:
    return json.loads(graph.text())["@graph"]


def test_an_entity_is_added_once_and_keeps_what_it_was_first():
    graph = Graph()
    assert graph.add("#a", "Person", name="Ada") == graph.add("#a", "Person", name="Bob") == {"@id": "#a"}
    assert by_identifier(graph.text())["#a"] == {"@id": "#a", "@type": "Person", "name": "Ada"}


def test_what_is_not_known_is_left_out_and_what_is_false_or_empty_text_stays():
    graph = Graph()
    graph.add("#a", "Thing", url=None, part=[], name="", value=0)
    assert by_identifier(graph.text())["#a"] == {"@id": "#a", "@type": "Thing", "name": "", "value": 0}


def test_a_file_is_part_of_the_crate_under_its_quoted_path():
    graph = Graph()
    assert graph.add_file("runs/a b/1.csv", sha256="0") == graph.file("runs/a b/1.csv") == {"@id": "runs/a%20b/1.csv"}
    found = by_identifier(graph.text())
    assert found["runs/a%20b/1.csv"]["@type"] == "File"
    assert found["./"]["hasPart"] == {"@id": "runs/a%20b/1.csv"}


def test_references_are_sorted_each_once_and_a_single_one_stands_alone():
    graph = Graph()
    graph.add("#a", "Thing", part=[{"@id": "#c"}, {"@id": "#b"}, {"@id": "#c"}], only=[{"@id": "#b"}, {"@id": "#b"}])
    entity = by_identifier(graph.text())["#a"]
    assert entity["part"] == [{"@id": "#b"}, {"@id": "#c"}]
    assert entity["only"] == {"@id": "#b"}


def test_the_order_of_adding_does_not_show():
    names = ["#b", "#a", "z.csv", "c.csv"]
    texts = set()
    for order in (names, names[::-1]):
        graph = Graph()
        for name in order:
            graph.add_file(name) if name.endswith("csv") else graph.add(name, "Thing")
        texts.add(graph.text())
    (text,) = texts
    identifiers = [entity["@id"] for entity in json.loads(text)["@graph"]]
    assert identifiers[:2] == ["ro-crate-metadata.json", "./"] and identifiers[2:] == sorted(identifiers[2:])


def test_extending_gives_types_and_further_properties():
    graph = Graph()
    graph.add_file("Snakefile", sha256="0")
    graph.extend(graph.file("Snakefile"), ["File", "HowTo"], name="the workflow", version=None)
    entity = by_identifier(graph.text())["Snakefile"]
    assert (entity["@type"], entity["sha256"], entity["name"]) == (["File", "HowTo"], "0", "the workflow")
    assert "version" not in entity


def test_the_terms_of_workflow_runs_stand_in_the_context():
    context = json.loads(Graph().text())["@context"]
    assert context == ["https://w3id.org/ro/crate/1.1/context", "https://w3id.org/ro/terms/workflow-run/context"]


def test_the_language_is_snakemake():
    graph = Graph()
    reference = graph.add_language()
    assert by_identifier(graph.text())[reference["@id"]]["name"] == "Snakemake"
    assert written(graph)[0]["@id"] == "ro-crate-metadata.json"
