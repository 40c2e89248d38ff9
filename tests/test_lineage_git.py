"""lineage.git: commit and dirty flag, or nothing."""

import subprocess
from pathlib import Path

import pytest

from lineage.git import git_state


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    command = ["git", *identity, "-c", "core.hooksPath=/dev/null", "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repository(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    git(tmp_path, "init", "-q")
    (tmp_path / "a.py").write_text("A = 1\n")
    return tmp_path


def test_a_clean_folder_has_its_commit(repository):
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "first")
    assert git_state(repository) == {"commit": git(repository, "rev-parse", "HEAD"), "dirty": False}


@pytest.mark.parametrize("name", ["a.py", "new.py"])
def test_a_changed_or_a_new_file_makes_it_dirty(repository, name):
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "first")
    (repository / name).write_text("A = 2\n")
    assert git_state(repository) == {"commit": git(repository, "rev-parse", "HEAD"), "dirty": True}


def test_before_the_first_commit_there_is_none(repository):
    assert git_state(repository) == {"commit": None, "dirty": True}


def test_a_variable_that_names_another_repository_is_not_followed(repository, monkeypatch):
    monkeypatch.setenv("GIT_DIR", "/nonexistent")
    assert git_state(repository) == {"commit": None, "dirty": True}


def test_outside_a_repository_there_is_no_state(tmp_path):
    if any((folder / ".git").exists() for folder in tmp_path.parents):
        pytest.skip("the temporary folder lies in a repository")
    assert git_state(tmp_path) is None


def test_without_git_there_is_no_state(repository, monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    assert git_state(repository) is None
