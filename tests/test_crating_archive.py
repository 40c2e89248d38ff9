"""crating.archive: one zip that verifies elsewhere."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace

import pytest

from configs import ROOT
from crate_entities import DEFINITION, NOBODY, make_definition
from crating.archive import TOP, main
from crating.write import write_crate
from lineage.job import tracked
from planning.folder_lock import COMMAND, hold_folder, require_free
from results_tree import DATA, FIGURE, FILES, make_results

CRATE = "results/ro-crate-metadata.json"


@pytest.fixture(autouse=True)
def project(tmp_path, monkeypatch):
    """A project with results and their crate; no repository."""
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    shutil.copytree(ROOT / "workflow", "workflow", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr("crating.archive.hold_folder", require_free)  # a lock is held until the process ends
    make_results(Path.cwd())
    add_crate()
    return tmp_path


def add_crate() -> None:
    with tracked(job("definition", [], DEFINITION), "job.py"):
        make_definition()
    with tracked(job("crate", [*FILES, DEFINITION], CRATE), "job.py"):
        write_crate(files=FILES, about=json.dumps(asdict(NOBODY)), definition=DEFINITION, crate=CRATE)


def job(rule: str, inputs: list[str], output: str) -> SimpleNamespace:
    return SimpleNamespace(rule=rule, wildcards={}, params={}, input=inputs, output=[output], log=[])


def unpacked(folder: Path, *options: str) -> Path:
    assert main(["a.zip", *options]) == 0
    with zipfile.ZipFile("a.zip") as packed:
        packed.extractall(folder)
    return folder / TOP


def verify_alone(project: Path) -> subprocess.CompletedProcess:
    """Verify with the code from the archive and the standard library, as its guide says."""
    command = [sys.executable, "-S", "-m", "lineage", "verify", "../../results"]
    return subprocess.run(command, cwd=project / "workflow" / "scripts", capture_output=True, text=True)


def test_an_unpacked_archive_verifies_elsewhere_with_the_standard_library_alone(project, capsys):
    there = unpacked(project / "far away")
    assert capsys.readouterr().out.startswith("a.zip: ")
    shutil.rmtree(project / "project")
    done = verify_alone(there)
    assert (done.returncode, done.stdout) == (0, f"{len(FILES) + 2} files verified, 0 problems\n")
    (there / FIGURE).write_text("another figure")
    assert verify_alone(there).returncode == 1


def test_the_archive_holds_results_sidecars_code_configurations_and_a_guide(project):
    (project / "far.yaml").write_text("study: {repeats: 3}")
    there = unpacked(project / "there", "--config", str(project / "far.yaml"))
    for name in (*FILES, f"{DATA}.prov.json", "Snakefile", "workflow/scripts/train.py", "facts.yaml"):
        assert (there / name).read_bytes() == Path(name).read_bytes()
    assert (there / "config" / "far.yaml").exists()
    assert "code of commit " + "c" * 40 in (there / "ARCHIVE.md").read_text()


def test_two_archives_of_the_same_are_the_same(project):
    main(["a.zip"])
    first = Path("a.zip").read_bytes()
    Path("a.zip").unlink()
    for path in Path("results").rglob("*"):
        path.touch()
    main(["b.zip"])
    assert Path("b.zip").read_bytes() == first


def test_results_that_do_not_verify_are_refused_unless_told(project, capsys):
    Path(FIGURE).write_text("changed")
    assert main(["a.zip"]) == 1
    assert "The results do not verify (" in capsys.readouterr().err
    assert not Path("a.zip").exists()
    assert main(["a.zip", "--unverified"]) == 0
    assert Path("a.zip").exists()


def test_nothing_is_packed_while_a_run_is_at_work(project, capsys):
    descriptor = hold_folder(COMMAND)
    assert main(["a.zip"]) == 1
    assert "Another run is at work" in capsys.readouterr().err
    os.close(descriptor)


def test_data_that_are_left_out_are_said_to_be_so_and_the_rest_verifies(project):
    there = unpacked(project / "there", "--without-data")
    assert not (there / DATA).exists()
    done = verify_alone(there)
    assert done.returncode == 0
    assert f"{DATA}: was left out" in done.stdout


def test_an_archive_can_be_archived_again(project, monkeypatch):
    there = unpacked(project / "there")
    shutil.rmtree(there / ".snakemake", ignore_errors=True)
    monkeypatch.chdir(there)
    again = unpacked(project / "again")
    assert verify_alone(again).returncode == 0
    assert {p.relative_to(again) for p in again.rglob("*.py")} == {p.relative_to(there) for p in there.rglob("*.py")}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["a.zip", "--config", "nope.yaml"], "No archive was written: nope.yaml cannot be used (No such file"),
        (["nowhere/a.zip"], "nowhere/a.zip can be no zip file: name a file in a folder that exists"),
        (["workflow"], "workflow can be no zip file"),
        (["results/a.zip"], "results/a.zip lies inside the results"),
    ],
)
def test_what_cannot_be_packed_or_written_ends_with_one_sentence(capsys, words, sentence):
    assert main(words) == 1
    said = capsys.readouterr().err
    assert said.startswith(sentence) and said.count("\n") == 1
    assert not list(Path().rglob("*.zip"))


def test_a_configuration_file_takes_the_name_of_no_other_one(tmp_path, capsys):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.yaml").write_text(f"figures: {{ dpi: 10{len(folder)} }}\n")
    configs = [str(tmp_path / folder / "mine.yaml") for folder in ("one", "two")]
    assert main(["a.zip", "--config", *configs]) == 1
    assert capsys.readouterr().err.startswith(f"{configs[1]} would be a second config/mine.yaml in the archive")
