"""The project's own files: as they are here, and as they were at earlier commits."""

from collections.abc import Iterable
from pathlib import Path

from lineage.digest import files_below
from lineage.git import ask_git, git_state

_ADDED = ("config", "workflow")  # where a user's own files belong to the study although git does not know them
_NOT_CODE = {"results", ".git", ".venv", ".snakemake", ".pytest_cache", ".mypy_cache", ".ruff_cache"}


def code_files(folder: Path) -> dict[str, Path]:
    """Return the project's files by name: those that git tracks and a user's own configurations and code.

    Without a repository, as in an unpacked archive: all files but results and what programs leave there.
    """
    names = _listed(folder, "--cached") + _listed(folder, "--others", "--exclude-standard", "--", *_ADDED)
    names = names if "Snakefile" in names else _found(folder)
    return {name: folder / name for name in names if (folder / name).is_file() and not name.startswith("results/")}


def code_at(folder: Path, commits: Iterable[str]) -> dict[str, bytes]:
    """Return a tar file, by name, of the project at each of these commits that is not what lies here.

    A commit that the repository does not know is left out.
    """
    here = git_state(folder)
    as_it_lies = here["commit"] if here and not here["dirty"] else None
    tars = {commit: _tar(folder, commit) for commit in sorted(set(commits)) if commit != as_it_lies}
    return {f"code/{commit}.tar": tar for commit, tar in tars.items() if tar is not None}


def _tar(folder: Path, commit: str) -> bytes | None:
    return ask_git(folder, "archive", "--format=tar", commit, "--", ".", ":(exclude)resources/reference")


def _listed(folder: Path, *options: str) -> list[str]:
    return [name for name in (ask_git(folder, "ls-files", "-z", *options) or b"").decode().split("\0") if name]


def _found(folder: Path) -> list[str]:
    """Return the files of a folder that is no repository, without what programs leave there."""
    tops = [path for path in folder.iterdir() if path.name not in _NOT_CODE and path.suffix != ".zip"]
    files = [path for top in tops for path in (files_below(top) if top.is_dir() else [top])]
    names = [path.relative_to(folder) for path in files if "__pycache__" not in path.parts]
    return [name.as_posix() for name in names]
