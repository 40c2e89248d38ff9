"""The git commit that a folder is at."""

import os
import subprocess
from pathlib import Path


def git_state(folder: Path) -> dict[str, str | bool | None] | None:
    """Return the folder's commit (None before the first one) and whether anything differs from it.

    Untracked files count as a difference, ignored ones do not. None where there is no git or no repository.
    """
    answer = ask_git(folder, "status", "--porcelain=v2", "--branch")
    return None if answer is None else _parse(answer.decode())


def ask_git(folder: Path, *arguments: str) -> bytes | None:
    """Return what git answers in this folder, None where it fails or there is no git or no repository."""
    # A hook or a caller may point these variables at another repository; a lock would disturb jobs beside this one.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment["GIT_OPTIONAL_LOCKS"] = "0"
    command = ["git", "-C", str(folder), *arguments]
    try:
        return subprocess.run(command, env=environment, capture_output=True, check=True, timeout=30).stdout
    except (OSError, subprocess.SubprocessError):
        return None


def _parse(status: str) -> dict[str, str | bool | None]:
    lines = status.splitlines()
    commit = next((line.split()[2] for line in lines if line.startswith("# branch.oid ")), "(initial)")
    dirty = any(not line.startswith("#") for line in lines)
    return {"commit": None if commit == "(initial)" else commit, "dirty": dirty}
