"""lineage.__main__: the commands as a user calls them."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lineage import __main__ as command
from lineage.job import tracked

CRATE = "results/ro-crate-metadata.json"
JOB: dict[str, Any] = {
    "rule": "make",
    "wildcards": {},
    "params": {},
    "input": [],
    "output": ["results/a", CRATE],
    "log": [],
}
SCRIPTS = Path(__file__).parents[1] / "workflow" / "scripts"


@pytest.fixture(autouse=True)
def results(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "job.py").write_text("")
    (tmp_path / "results").mkdir()
    with tracked(SimpleNamespace(**JOB), "job.py"):
        Path("results/a").write_text("a")
        Path(CRATE).write_text("{}")


def test_verify_ends_well_and_counts(capsys):
    assert command.main(["verify"]) == 0
    assert capsys.readouterr().out == "2 files verified, 0 problems\n"


def test_verify_prints_a_line_a_problem_and_fails(capsys):
    Path("results/a").write_text("b")
    assert command.main(["verify", "results"]) == 1
    first, last = capsys.readouterr().out.splitlines()
    assert first.startswith("results/a: sha256 is")
    assert last == "1 files verified, 1 problems"


def test_verify_says_what_was_not_here_without_failing(capsys):
    Path("facts").write_text("")
    with tracked(SimpleNamespace(**{**JOB, "input": ["facts"]}), "job.py"):
        Path("results/a").write_text("a")
        Path(CRATE).write_text("{}")
    Path("facts").unlink()
    assert command.main(["verify"]) == 0
    assert capsys.readouterr().out.startswith("facts: is not here")


def test_nothing_to_verify_is_one_sentence(capsys):
    assert command.main(["verify", "nowhere"]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_trace_prints_the_tree(capsys):
    assert command.main(["trace", "results/a"]) == 0
    assert capsys.readouterr().out.startswith("results/a  ")


def test_trace_without_a_file_is_one_sentence(capsys):
    assert command.main(["trace"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("No file is named: name a result, such as `make trace FILE=") and said.count("\n") == 1


def test_trace_of_a_file_without_sidecar_is_one_sentence(capsys):
    assert command.main(["trace", "job.py"]) == 1
    assert capsys.readouterr().err.rpartition("/")[2].startswith("job.py has no sidecar")


def test_the_package_runs_as_a_command_from_another_folder(tmp_path):
    arguments = [sys.executable, "-m", "lineage", "verify", str(tmp_path / "results")]
    ended = subprocess.run(arguments, cwd=SCRIPTS, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (0, "2 files verified, 0 problems\n")
