"""lineage.verify: whole folders; test_lineage_comparison.py has each way in which a file and its sidecar disagree."""

import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from lineage.job import UserError, tracked
from lineage.verify import Verdict, verify

CRATE = "results/ro-crate-metadata.json"


def make(output: str, text: str, *inputs: str) -> None:
    none: dict[str, object] = {}
    job = SimpleNamespace(rule="make", wildcards=none, params=none, input=inputs, output=[output], log=[])
    Path(output).parent.mkdir(parents=True, exist_ok=True)
    with tracked(job, "job.py"):
        Path(output).write_text(text)


@pytest.fixture(autouse=True)
def results(tmp_path, monkeypatch):
    """Write facts.yaml, from it results/data/a, from both results/b, and a list of nothing."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "job.py").write_text("")
    (tmp_path / "facts.yaml").write_text("facts")
    make("results/data/a", "aaa", "facts.yaml")
    make("results/b", "bbb", "results/data/a", "facts.yaml")
    make(CRATE, "{}")
    return tmp_path / "results"


def found() -> Verdict:
    return verify(Path("results"))


def test_results_as_they_were_made_have_no_problem():
    assert found() == Verdict(verified=3, problems=())
    assert found().summary == "3 files verified, 0 problems"


def test_results_are_verified_where_they_lie_whatever_the_current_folder_holds(tmp_path, monkeypatch):
    shutil.copytree(tmp_path, tmp_path / "elsewhere" / "copy")
    Path("results/data/a").write_text("aab")
    Path("facts.yaml").write_text("fakts")
    copy = tmp_path / "elsewhere" / "copy" / "results"
    assert verify(copy) == Verdict(verified=3, problems=())
    (copy / "data/a").write_text("aab")
    assert len(verify(copy).problems) == 2


def test_a_renamed_copy_of_the_results_alone_is_verified_without_what_was_outside_it(tmp_path):
    Path("renamed").mkdir()
    shutil.copytree("results", "renamed/our results")
    verdict = verify(Path("renamed/our results"))
    assert (verdict.verified, verdict.problems) == (3, ())
    assert verdict.notes == ("facts.yaml: is not here, so it was not compared with what 2 sidecars say of it.",)


def test_a_part_of_the_results_is_verified_on_its_own():
    verdict = verify(Path("results/data"))
    assert (verdict.verified, verdict.problems) == (1, ())


def test_results_without_a_list_of_them_are_verified_and_say_so():
    Path(CRATE).unlink()
    Path(f"{CRATE}.prov.json").unlink()
    assert found().problems == ()
    assert found().notes == (
        "ro-crate-metadata.json: is not here, so a file that is gone together with its sidecar may go unnoticed.",
    )


def test_a_file_that_is_gone_together_with_its_sidecar_is_found_by_the_list():
    make(CRATE, "{}", "results/b")
    Path("results/b").unlink()
    Path("results/b.prov.json").unlink()
    (problem,) = found().problems
    assert problem.startswith(f"{CRATE}: was made from results/b, which does not exist;")


def test_users_that_saw_different_contents_of_what_is_not_here_are_found():
    Path("facts.yaml").write_text("new facts")
    make("results/b", "bbb", "results/data/a", "facts.yaml")
    Path("facts.yaml").unlink()
    (problem,) = found().problems
    assert problem.startswith("facts.yaml: is not here, and its users saw 2 contents")


def test_what_was_left_out_on_purpose_is_a_note_and_no_problem():
    Path("results/data/a").unlink()
    Path("results/data/extra").write_text("")
    assert len(found().problems) == 3
    Path("results/left_out.txt").write_text("results/data/a\nresults/data/extra.prov.json\n")
    assert found().problems == ()
    assert found().notes == (
        "results/data/a: was left out, so it was not compared with what 2 sidecars say of it.",
        "results/data/extra.prov.json: was left out, so nothing says where results/data/extra comes from.",
    )


def test_one_flipped_byte_in_an_output_is_found():
    Path("results/b").write_text("bbc")
    (problem,) = found().problems
    assert problem.startswith("results/b: sha256 is ")
    assert "delete it and run the workflow again" in problem
    assert found().summary == "2 files verified, 1 problems"


def test_one_flipped_byte_in_an_input_names_each_file_made_from_it():
    Path("facts.yaml").write_text("fakts")
    assert [problem.partition(" with")[0] for problem in found().problems] == [
        "results/b: was made from facts.yaml",
        "results/data/a: was made from facts.yaml",
    ]


def test_a_missing_file_is_found():
    Path("results/b").unlink()
    (problem,) = found().problems
    assert problem.startswith("results/b: does not exist, though its sidecar is there;")


def test_a_missing_input_from_outside_the_results_is_a_note():
    Path("facts.yaml").unlink()
    assert found().problems == ()
    assert found().notes == ("facts.yaml: is not here, so it was not compared with what 2 sidecars say of it.",)


def test_an_extra_file_is_found():
    Path("results/extra.csv").write_text("")
    (problem,) = found().problems
    assert problem.startswith("results/extra.csv: has no sidecar")


@pytest.mark.parametrize("place", [lambda path: path.symlink_to("nowhere"), os.mkfifo], ids=["link", "pipe"])
def test_what_is_no_file_is_found_too(place):
    place(Path("results/extra"))
    (problem,) = found().problems
    assert problem.startswith("results/extra: has no sidecar")


def test_a_pipe_in_place_of_a_result_is_found_and_not_waited_for():
    Path("results/b").unlink()
    os.mkfifo("results/b")
    (problem,) = found().problems
    assert problem.startswith("results/b: cannot be read (it is no regular file), though its sidecar is there")


def test_logs_the_page_and_placeholders_need_no_sidecar():
    Path("results/logs/deep").mkdir(parents=True)
    for name in ("logs/deep/x.log", "report.html", ".gitkeep", "data/.gitkeep"):
        Path("results", name).write_text("")
    assert found().problems == ()


def test_a_sidecar_that_is_no_json_is_a_problem_and_no_traceback():
    Path("results/b.prov.json").write_text("{")
    (problem,) = found().problems
    assert problem.startswith("results/b.prov.json: cannot be read")


def test_code_that_changed_since_is_no_problem():
    Path("job.py").write_text("x = 1")
    assert found().problems == ()


def test_files_of_a_folder_with_a_sidecar_are_covered_by_it():
    none: dict[str, object] = {}
    job = SimpleNamespace(rule="many", wildcards=none, params=none, input=[], output=["results/many"], log=[])
    with tracked(job, "job.py"):
        Path("results/many").mkdir()
        Path("results/many/x").write_text("x")
    assert found() == Verdict(verified=4, problems=())
    Path("results/many/y").write_text("y")
    (problem,) = found().problems
    assert problem.startswith("results/many: sha256 is")


def test_a_folder_that_does_not_exist_or_is_empty_is_one_sentence(tmp_path):
    with pytest.raises(UserError, match="nowhere does not exist; run the workflow first"):
        verify(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / ".gitkeep").write_text("")
    with pytest.raises(UserError, match="empty is empty"):
        verify(tmp_path / "empty")


def test_a_file_is_no_folder_of_results():
    with pytest.raises(UserError, match=r"^facts\.yaml is a file, expected a folder of results"):
        verify(Path("facts.yaml"))


def test_a_folder_that_holds_results_is_answered_with_them(tmp_path):
    with pytest.raises(UserError, match=f"^{tmp_path} is no folder of results, did you mean {tmp_path}/results\\?$"):
        verify(tmp_path)


def test_a_repository_without_results_is_not_verified_file_by_file(tmp_path):
    clone = tmp_path / "clone"
    (clone / ".git").mkdir(parents=True)
    (clone / "README.md").touch()
    with pytest.raises(UserError, match="clone is a repository, expected a folder of results; run the workflow first"):
        verify(clone)
