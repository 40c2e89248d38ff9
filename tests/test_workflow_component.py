"""The workflow as part of something else: a module of another one, in another folder, from what it cannot write."""

import csv
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from configs import ROOT
from workflow import copy_project, temporary_folder

ONE_MODEL = {"study": {"models": ["simple_cnn"]}, "datasets": {"tiny": {"train_images": 256, "test_images": 128}}}
PARENT = """\
configfile: "{clone}/config/config.yaml"
configfile: "{clone}/config/smoke.yaml"
configfile: "mine.yaml"

module speedup:
    snakefile:
        "{snakefile}"
    config:
        config
    {prefix}

use rule * from speedup as speedup_*

rule answer:
    input:
        rules.speedup_compare.output.speedup,
    output:
        "answer.csv",
    shell:
        "cp {{input}} {{output}}"
"""
RULES = {"answer", "speedup_dataset", "speedup_train_cpu", "speedup_train_gpu", "speedup_collect", "speedup_compare"}


def read_only(folder: Path) -> list[str]:
    """Return what to put before a command so that it cannot write below the folder; root needs a mount for that."""
    if os.geteuid() != 0:
        subprocess.run(["chmod", "-R", "a-w", folder], check=True)
        return []
    script = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
    prefix = ["unshare", "--mount", "sh", "-c", script, str(folder)]
    if subprocess.run([*prefix, "true"], check=False, capture_output=True).returncode != 0:
        pytest.skip("root cannot mount a folder read-only here")
    return prefix


def snakemake(folder: Path, *arguments: str, before: tuple[str, ...] | list[str] = ()):
    """Run the workflow engine with `folder` as the folder that the user is in."""
    return subprocess.run(
        [*before, sys.executable, "-m", "snakemake", "--cores", "all", *arguments],
        cwd=folder,
        env={**os.environ, "TMPDIR": str(temporary_folder(folder)), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )


def write_parent(folder: Path, clone: str, snakefile: str, prefix: str = "") -> Path:
    folder.mkdir(exist_ok=True)
    line = f'prefix: "{prefix}"' if prefix else ""
    (folder / "Snakefile").write_text(PARENT.format(clone=clone, snakefile=snakefile, prefix=line))
    (folder / "mine.yaml").write_text(yaml.safe_dump(ONE_MODEL))
    return folder


def planned(done) -> set[str]:
    assert done.returncode == 0, done.stderr[-3000:]
    lines = [line.split() for line in done.stdout.splitlines()]
    return {words[-1].rstrip(":") for words in lines if len(words) == 2 and words[0] in ("rule", "localrule")}


def test_a_module_without_a_prefix_from_a_clone_beside_the_parent_plans_its_results(tmp_path):
    copy_project(tmp_path / "clone")
    parent = write_parent(tmp_path / "parent", "../clone", "../clone/workflow/Snakefile")
    done = snakemake(parent, "-n")
    assert planned(done) == RULES  # the parent's first rule, not our `all`, is what is made without a target
    assert " results/tables/speedup.csv" in done.stdout


def test_a_module_with_a_prefix_from_a_read_only_clone_below_the_parent_runs(tmp_path):
    parent = write_parent(tmp_path / "parent", "clone", "clone/workflow/Snakefile", prefix="gpu")
    clone = copy_project(parent / "clone")
    before = read_only(clone)
    done = snakemake(parent, before=before)
    assert done.returncode == 0, done.stderr[-3000:]
    rows = list(csv.DictReader((parent / "answer.csv").read_text().splitlines()))
    assert {row["model"] for row in rows} == {"simple_cnn"}
    assert (parent / "gpu/results/tables/runs.csv").exists() and not (parent / "results").exists()
    assert "Nothing to be done" in snakemake(parent, "-n").stdout
    judged = planned(snakemake(parent, "-n", "gpu/results/tables/replication.csv"))  # reads files of the clone
    assert "speedup_judge" in judged


def test_a_module_from_a_url_is_refused_with_what_to_do(tmp_path):
    repository = copy_project(tmp_path / "clone")
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-C", str(repository)]
    for command in (["init", "--quiet", "--initial-branch=main"], ["add", "."], ["commit", "--quiet", "-m", "All"]):
        subprocess.run([*git, *command], check=True)
    parent = write_parent(tmp_path / "parent", "../clone", f"git+file://{repository}/workflow/Snakefile@main")
    done = snakemake(parent, "-n")
    assert done.returncode != 0
    assert "clone the repository and name the workflow/Snakefile of the clone" in done.stderr
    assert "Traceback" not in done.stderr


def test_results_go_to_another_folder_from_a_read_only_checkout(tmp_path):
    checkout, elsewhere = copy_project(tmp_path / "checkout"), tmp_path / "else where"
    elsewhere.mkdir()
    (elsewhere / "mine.yaml").write_text(yaml.safe_dump(ONE_MODEL))
    before = read_only(checkout)
    overlays = ["--configfile", "config/smoke.yaml", str(elsewhere / "mine.yaml"), "--directory", str(elsewhere)]
    done = snakemake(checkout, *overlays, "--", "results/tables/speedup.csv", before=before)
    assert done.returncode == 0, done.stderr[-3000:]
    assert (elsewhere / "results/tables/speedup.csv").exists()
    assert not (checkout / "results").exists() and not (checkout / ".snakemake").exists()


def test_a_folder_with_a_configuration_of_its_own_is_run_by_it(tmp_path):
    checkout = copy_project(tmp_path / "checkout")
    (tmp_path / "config").mkdir()
    shutil.copy(checkout / "config/config.yaml", tmp_path / "config/config.yaml")
    with (tmp_path / "config/config.yaml").open("a") as file:
        file.write("unknown: 1\n")
    done = snakemake(checkout, "-n", "--directory", str(tmp_path))
    assert "config.unknown is 1, but there is no such key" in done.stdout + done.stderr


def test_the_catalog_finds_what_it_asks_for():
    assert (ROOT / "workflow" / "Snakefile").exists() and (ROOT / "config" / "README.md").exists()
    usage = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text())["usage"]
    assert usage["software-stack-deployment"]["conda"] and usage["report"]
    assert usage["mandatory-flags"]["flags"] == "--resources gpu=1"
