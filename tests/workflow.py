"""Runs the whole workflow in a folder of its own."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import yaml

from configs import ROOT

PARTS = ["Snakefile", "Makefile", "workflow", "config", "profiles", "envs", "resources/published"]


def copy_project(folder: Path) -> Path:
    """Copy what the workflow consists of, without results."""
    for part in PARTS:
        source, target = ROOT / part, folder / part
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    return folder


def snakemake(
    folder: Path, *arguments: str, overlay: dict | None = None, under: Sequence[str] = (), **environment: str
):
    """Run the workflow engine in `folder`, with an overlay on top of the smoke study, and return what came out.

    `under` is the beginning of the command: a program that starts the engine in a world of its own.
    """
    configs = ["config/smoke.yaml", *([] if overlay is None else [written(folder, overlay)])]
    command = [sys.executable, "-m", "snakemake", "--resources", "gpu=1", "--configfile", *configs, "--cores", "all"]
    return _run([*under, *command, *arguments], folder, environment)


def written(folder: Path, overlay: dict) -> str:
    """Return the name of the file in `folder` that holds the overlay; one that does already is left alone."""
    path, text = folder / "overlay.yaml", yaml.safe_dump(overlay)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
    return path.name


def make(folder: Path, target: str, *configs: str, **environment: str):
    """Run a target of the Makefile in `folder`, with overlays over the default study, and return what came out."""
    return _run(["make", target, f"ENV={sys.prefix}", f"CONFIG={' '.join(configs)}"], folder, environment)


def _run(command: Sequence[str], folder: Path, environment: dict[str, str]):
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "TMPDIR": str(temporary_folder(folder)), **environment},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )


def temporary_folder(folder: Path) -> Path:
    """Return a folder beside the project, so that its timed runs do not wait for those of another copy."""
    temporary = folder.with_name(f"{folder.name}-tmp")
    temporary.mkdir(exist_ok=True)
    return temporary


def lineage(folder: Path, *arguments: str):
    """Run `python -m lineage` on the results of `folder`."""
    return subprocess.run(
        [sys.executable, "-m", "lineage", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder / "workflow" / "scripts")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
