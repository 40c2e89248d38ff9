"""lineage.comparison: each way in which one file and its sidecar can disagree; lineage.verify walks whole folders."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lineage.comparison import Comparison
from lineage.digest import fingerprint
from lineage.place import Place
from lineage.sidecar import Sidecar, SidecarError, read_sidecar, sealed, sidecar_path, write_sidecar
from results_tree import make

A, B = Path("results/data/a"), Path("results/b")


@pytest.fixture(autouse=True)
def results(tmp_path, monkeypatch):
    """Write facts.yaml, from it results/data/a, and from both results/b."""
    monkeypatch.chdir(tmp_path)
    Path("job.py").write_text("")
    Path("facts.yaml").write_text("facts")
    make("first", [str(A)], ["facts.yaml"], {})
    make("second", [str(B)], [str(A), "facts.yaml"], {})


def read(path: Path) -> Sidecar | SidecarError:
    try:
        return read_sidecar(sidecar_path(path))
    except SidecarError as error:
        return error


def comparison(*left_out: str) -> Comparison:
    return Comparison(Place(name="results", folder=Path("results").absolute()), frozenset(left_out), read)


def problems(path: Path, *left_out: str) -> list[str]:
    return list(comparison(*left_out).problems(path.absolute()))


def edit(path: Path, **changes: Any) -> None:
    """Change a sidecar as somebody would who makes its own hash fit again."""
    content = json.loads(sidecar_path(path).read_text()) | changes
    del content["sidecar_sha256"]
    sidecar_path(path).write_bytes(sealed(content))


def flip(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(bytes([content[0] ^ 1]) + content[1:])


def test_a_file_as_it_was_made_has_no_problem():
    assert problems(A) == problems(B) == []


def test_a_flipped_byte_is_a_problem_of_the_file_and_of_what_was_made_from_it():
    before = fingerprint(str(A), Path()).sha256[:10]
    flip(A)
    after = fingerprint(str(A), Path()).sha256[:10]
    assert problems(A) == [
        f"{A}: sha256 is {after}, its sidecar says {before}; restore it or delete it and run the workflow again."
    ]
    assert problems(B) == [
        f"{B}: was made from {A} with sha256 {before}, which now has {after}; restore that file, or delete {B} and run "
        "the workflow again."
    ]


def test_a_flipped_byte_in_a_source_is_a_problem_of_each_file_made_from_it():
    flip(Path("facts.yaml"))
    assert [found.partition(" with")[0] for found in (*problems(A), *problems(B))] == [
        f"{A}: was made from facts.yaml",
        f"{B}: was made from facts.yaml",
    ]


def test_a_file_that_is_gone_is_a_problem_of_its_own_and_of_what_was_made_from_it():
    A.unlink()
    assert problems(A) == [
        f"{A}: does not exist, though its sidecar is there; run the workflow again or delete the sidecar."
    ]
    assert problems(B) == [
        f"{B}: was made from {A}, which does not exist; restore that file or run the workflow again."
    ]


def test_a_file_without_a_sidecar_is_a_problem():
    sidecar_path(A).unlink()
    assert problems(A) == [
        f"{A}: has no sidecar, so nothing says where it comes from; delete it and run the workflow again."
    ]


def test_a_folder_in_place_of_a_file_is_measured_as_one_and_differs():
    A.unlink()
    A.mkdir()
    (found,) = problems(A)
    assert found.startswith(f"{A}: sha256 is ")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"sha256": "0" * 64}, f"{B}: sha256 is"),
        ({"size": 4}, f"{B}.prov.json: says 4 bytes, the file has 9"),
        ({"file": "results/c"}, f"{B}.prov.json: describes results/c, not {B}"),
        ({"inputs": [{"file": "facts.yaml", "sha256": "0" * 64, "size": 5}]}, f"{B}: was made from facts.yaml with"),
        ({"inputs": [{"file": "results/gone", "sha256": "0" * 64, "size": 5}]}, "from results/gone, which does not"),
        ({"rule": 5}, f"{B}.prov.json: has an impossible value for rule: 5; delete it"),
        ({"extra": 5}, f"{B}.prov.json: has the unknown key 'extra'"),
    ],
)
def test_an_edited_sidecar_is_a_problem(changes, words):
    edit(B, **changes)
    (found,) = problems(B)
    assert found.startswith(words) or words in found


def test_an_edited_size_of_an_input_is_a_problem():
    inputs = json.loads(sidecar_path(B).read_text())["inputs"]
    edit(B, inputs=[known | {"size": 99} if known["file"] == str(A) else known for known in inputs])
    (found,) = problems(B)
    assert f"made from {A} with 99 bytes, which has 14" in found


def test_a_sidecar_changed_by_hand_or_cut_short_is_a_problem():
    path = sidecar_path(B)
    text = path.read_text()
    path.write_text(text.replace('"rule": "second"', '"rule": "fake"'))
    (found,) = problems(B)
    assert found.startswith(f"{B}.prov.json: was changed after it was written (sidecar_sha256 ")
    assert found.endswith(f"delete it and {B} and run the workflow again.")
    path.write_text("{")
    (found,) = problems(B)
    assert found.startswith(f"{B}.prov.json: cannot be read")


def test_an_input_whose_own_sidecar_says_otherwise_is_a_problem():
    write_sidecar(replace(read_sidecar(sidecar_path(A)), sha256="0" * 64), Path())
    (found,) = problems(B)
    assert found.startswith(f"{B}: was made from {A} with sha256 ") and "whose sidecar says 0000000000" in found


def test_what_is_not_here_and_need_not_be_is_a_note():
    Path("facts.yaml").unlink()
    compared = comparison()
    assert [*compared.problems(A.absolute()), *compared.problems(B.absolute())] == []
    assert list(compared.notes()) == [
        "facts.yaml: is not here, so it was not compared with what 2 sidecars say of it.",
    ]
    assert list(compared.contradictions()) == []


def test_users_that_saw_different_contents_of_what_is_not_here_contradict_each_other():
    inputs = json.loads(sidecar_path(B).read_text())["inputs"]
    edit(B, inputs=[known | {"sha256": "0" * 64} if known["file"] == "facts.yaml" else known for known in inputs])
    Path("facts.yaml").unlink()
    compared = comparison()
    assert [*compared.problems(A.absolute()), *compared.problems(B.absolute())] == []
    assert list(compared.contradictions()) == [
        "facts.yaml: is not here, and its users saw 2 contents; run the workflow again."
    ]


def test_what_was_left_out_on_purpose_is_a_note_and_no_problem():
    A.unlink()
    sidecar_path(B).unlink()
    compared = comparison(str(A), f"{B}.prov.json")
    assert [*compared.problems(A.absolute()), *compared.problems(B.absolute())] == []
    assert list(compared.notes()) == [
        f"{B}.prov.json: was left out, so nothing says where {B} comes from.",
        f"{A}: was left out, so it was not compared with what 1 sidecars say of it.",
    ]


def test_a_file_that_was_left_out_but_lies_here_is_compared():
    flip(A)
    assert len(problems(A, str(A))) == 1


def test_sidecars_without_a_hash_of_their_own_are_counted():
    content = json.loads(sidecar_path(B).read_text()) | {"schema_version": 1}
    del content["sidecar_sha256"], content["sources"]
    sidecar_path(B).write_text(json.dumps(content))
    compared = comparison()
    assert list(compared.problems(B.absolute())) == []
    (note,) = compared.notes()
    assert note.startswith("1 sidecars of an earlier version carry no hash of their own")


def test_a_file_is_read_once_however_many_were_made_from_it(monkeypatch):
    hashed: list[str] = []

    def counted(name: str, directory: Path):
        hashed.append(name)
        return fingerprint(name, directory)

    monkeypatch.setattr("lineage.comparison.fingerprint", counted)
    compared = comparison()
    assert [*compared.problems(A.absolute()), *compared.problems(B.absolute())] == []
    assert sorted(hashed) == ["a", "b", "facts.yaml"]
