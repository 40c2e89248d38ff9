"""crating.code: the project's files here and at earlier commits."""

import io
import subprocess
import tarfile
from pathlib import Path

import pytest

from crating.code import code_at, code_files


def git(*arguments: str) -> str:
    author = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", *author, *arguments], check=True, capture_output=True, text=True).stdout.strip()


def write(*names: str, text: str = "") -> None:
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)


@pytest.fixture(autouse=True)
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("Snakefile", "workflow/a.py", "config/config.yaml", "resources/reference/big", text="old")
    write(".gitignore", text="/results/*\n/.venv/\n__pycache__/\n")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first")
    write("results/a", ".venv/b", "workflow/__pycache__/c.pyc")


def test_tracked_files_and_own_configurations_are_code_and_nothing_else():
    write("config/mine.yaml", "workflow/models/mine.py", "notes.txt")
    assert set(code_files(Path())) == {
        ".gitignore",
        "Snakefile",
        "config/config.yaml",
        "config/mine.yaml",
        "resources/reference/big",
        "workflow/a.py",
        "workflow/models/mine.py",
    }


def test_a_tracked_file_that_was_deleted_is_no_code():
    Path("workflow/a.py").unlink()
    assert "workflow/a.py" not in code_files(Path())


def test_without_a_repository_all_but_results_and_leftovers_is_code(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    for path in (tmp_path / ".git").rglob("HEAD"):
        path.unlink()
    write("old.zip")
    expected = {".gitignore", "Snakefile", "config/config.yaml", "resources/reference/big", "workflow/a.py"}
    assert set(code_files(Path())) == expected


def test_a_commit_that_lies_here_needs_no_copy_and_an_earlier_one_does():
    first = git("rev-parse", "HEAD")
    assert code_at(Path(), [first]) == {}
    write("workflow/a.py", text="new")
    git("commit", "-qam", "second")
    (found,) = code_at(Path(), [first, git("rev-parse", "HEAD")]).items()
    assert found[0] == f"code/{first}.tar"
    with tarfile.open(fileobj=io.BytesIO(found[1])) as tar:
        assert tar.extractfile("workflow/a.py").read() == b"old"
        assert "resources/reference/big" not in tar.getnames()


def test_changes_that_are_not_committed_make_a_copy_of_the_commit_necessary():
    first = git("rev-parse", "HEAD")
    write("workflow/a.py", text="new")
    assert list(code_at(Path(), [first])) == [f"code/{first}.tar"]


def test_a_commit_that_the_repository_does_not_know_is_left_out():
    assert code_at(Path(), ["f" * 40]) == {}
