"""lineage.job: what surrounds the work of a job."""

import errno
import hashlib
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lineage import job as lineage_job
from lineage.code import code_hash
from lineage.digest import Fingerprint
from lineage.job import UserError, tracked
from lineage.sidecar import read_sidecar
from lineage.source import Source


@pytest.fixture(autouse=True)
def workflow(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "collect.py").write_text("import helper\n")
    (tmp_path / "scripts" / "helper.py").write_text("VALUE = 1\n")
    (tmp_path / "in.txt").write_text("abc")
    return tmp_path


def job(**changes: Any) -> Any:
    attributes = {
        "rule": "collect",
        "wildcards": {"model": "resnet18"},
        "params": {"width": 3.4},
        "input": ["in.txt"],
        "output": ["out.txt"],
        "log": ["logs/collect.log"],
        "threads": 1,
        "config": {},
    }
    return SimpleNamespace(**attributes | changes)


def log() -> str:
    return Path("logs/collect.log").read_text()


def run(text: str = "result", **changes: Any) -> None:
    with tracked(job(**changes), "scripts/collect.py"):
        print("working")
        Path("out.txt").write_text(text)


def test_an_output_gets_a_sidecar_that_says_where_it_comes_from():
    run()
    sidecar = read_sidecar(Path("out.txt.prov.json"))
    assert (sidecar.file, sidecar.size) == ("out.txt", 6)
    assert sidecar.sha256 == hashlib.sha256(b"result").hexdigest()
    assert (sidecar.rule, sidecar.wildcards, sidecar.params) == ("collect", {"model": "resnet18"}, {"width": 3.4})
    assert [(known.file, known.size) for known in sidecar.inputs] == [("in.txt", 3)]
    assert sidecar.inputs[0].sha256 == hashlib.sha256(b"abc").hexdigest()
    assert sidecar.code_sha256 == code_hash("scripts/collect.py")
    assert sidecar.started <= sidecar.ended
    assert sidecar.ended.endswith("+00:00")


def test_what_served_the_job_from_outside_is_recorded_with_each_output():
    served = Source(name="npm", url="pkg:npm/b@1", files=(Fingerprint(file="b.tgz", sha256="e" * 64, size=7),))
    with tracked(job(output=["a", "b"]), "scripts/collect.py") as sources:
        Path("a").write_text("")
        Path("b").write_text("")
        sources.append(served)
    assert [read_sidecar(Path(f"{name}.prov.json")).sources for name in "ab"] == [(served,), (served,)]


def test_what_is_printed_goes_to_terminal_and_log(capsys):
    run()
    assert capsys.readouterr().out == "working\n"
    assert log() == "working\n"


def test_a_job_may_have_no_log_no_input_and_no_output():
    with tracked(job(log=[], input=[], output=[]), "scripts/collect.py"):
        pass
    assert not list(Path().rglob("*.prov.json"))


def test_every_output_has_its_sidecar_and_repeated_inputs_are_listed_once():
    with tracked(job(output=["a", "b"], input=["in.txt", "in.txt"]), "scripts/collect.py"):
        Path("a").write_text("")
        Path("b").mkdir()
    assert [len(read_sidecar(Path(f"{name}.prov.json")).inputs) for name in "ab"] == [1, 1]


def test_absolute_paths_inside_the_working_directory_are_recorded_as_relative():
    run(output=[str(Path("out.txt").absolute())])
    assert read_sidecar(Path("out.txt.prov.json")).file == "out.txt"


def test_a_block_that_changes_the_working_directory_changes_nothing_else(tmp_path, monkeypatch):
    with tracked(job(), "scripts/collect.py"):
        Path("out.txt").write_text("result")
        monkeypatch.chdir(tmp_path / "scripts")
    assert (tmp_path / "out.txt.prov.json").exists()


def test_code_edited_while_the_job_runs_is_recorded_as_it_ran():
    before = code_hash("scripts/collect.py")
    with tracked(job(), "scripts/collect.py"):
        Path("out.txt").write_text("result")
        Path("scripts/helper.py").write_text("VALUE = 2\n")
    assert read_sidecar(Path("out.txt.prov.json")).code_sha256 == before


def test_inputs_are_hashed_after_the_block(monkeypatch):
    hashed: list[str] = []
    original = lineage_job.fingerprint
    monkeypatch.setattr(lineage_job, "fingerprint", lambda name, *rest: hashed.append(name) or original(name, *rest))
    with tracked(job(), "scripts/collect.py"):
        Path("out.txt").write_text("result")
        assert hashed == []
    assert hashed == ["out.txt", "in.txt"]


def test_a_user_error_is_one_sentence_on_the_terminal_and_a_traceback_in_the_log(capsys):
    with pytest.raises(SystemExit) as end, tracked(job(), "scripts/collect.py"):
        raise UserError("batch_size is 0, expected 1 or more.")
    assert end.value.code == 1
    assert capsys.readouterr().err == "batch_size is 0, expected 1 or more.\n"
    assert log().startswith("Traceback (most recent call last):")
    assert log().endswith("UserError: batch_size is 0, expected 1 or more.\n")


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "Could not use out.txt: the disk is full;"),
        (PermissionError(errno.EACCES, "Permission denied", "a/b.csv"), "Could not use a/b.csv: permission denied;"),
    ],
)
def test_a_full_disk_and_a_missing_permission_are_one_sentence(capsys, error, sentence):
    with pytest.raises(SystemExit) as end, tracked(job(), "scripts/collect.py"):
        raise error
    shown = capsys.readouterr().err
    assert end.value.code == 1
    assert shown.startswith(sentence)
    assert shown.count("\n") == 1
    assert "Traceback" in log()


def test_an_unexpected_error_keeps_its_traceback_in_log_and_terminal():
    with pytest.raises(ZeroDivisionError), tracked(job(), "scripts/collect.py"):
        1 / 0  # noqa: B018
    assert log().endswith("ZeroDivisionError: division by zero\n")


def test_a_log_that_cannot_be_opened_is_one_sentence(capsys, monkeypatch):
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", "logs/collect.log")

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(SystemExit), tracked(job(), "scripts/collect.py"):
        pytest.fail("the block must not run")
    assert capsys.readouterr().err.startswith("Could not use logs/collect.log: permission denied;")


def test_a_missing_output_is_named(capsys):
    with pytest.raises(SystemExit), tracked(job(output=["out.txt", "other.txt"]), "scripts/collect.py"):
        Path("out.txt").write_text("")
    assert "was to write other.txt, which does not exist" in capsys.readouterr().err
    assert not Path("out.txt.prov.json").exists()


def test_an_input_that_disappeared_is_named(capsys):
    with pytest.raises(SystemExit):
        run(input=["gone.txt"])
    assert "has read gone.txt, which does not exist" in capsys.readouterr().err


def test_a_failure_leaves_no_sidecar_of_an_earlier_success_whose_file_the_engine_removed():
    run()
    Path("out.txt").unlink()
    with pytest.raises(ZeroDivisionError), tracked(job(), "scripts/collect.py"):
        assert not Path("out.txt.prov.json").exists()
        1 / 0  # noqa: B018
    assert not Path("out.txt.prov.json").exists()


def test_a_failed_update_leaves_the_sidecar_of_the_file_that_the_engine_keeps():
    run()
    before = Path("out.txt.prov.json").read_bytes()
    with pytest.raises(ZeroDivisionError), tracked(job(output=["out.txt", "new.txt"]), "scripts/collect.py"):
        Path("new.txt").write_text("half")
        1 / 0  # noqa: B018
    assert Path("out.txt.prov.json").read_bytes() == before
    assert not Path("new.txt.prov.json").exists()


def test_an_update_that_ends_well_replaces_the_sidecar():
    run()
    run("other")
    assert read_sidecar(Path("out.txt.prov.json")).sha256 == hashlib.sha256(b"other").hexdigest()


def test_a_disk_that_is_full_at_the_second_sidecar_leaves_neither(monkeypatch, capsys):
    original = lineage_job.write_sidecar

    def full(sidecar: Any, directory: Path) -> None:
        if sidecar.file == "b":
            raise OSError(errno.ENOSPC, "No space left on device", "b.prov.json")
        original(sidecar, directory)

    monkeypatch.setattr(lineage_job, "write_sidecar", full)
    with pytest.raises(SystemExit), tracked(job(output=["a", "b"]), "scripts/collect.py"):
        Path("a").write_text("")
        Path("b").write_text("")
    assert not list(Path().glob("*.prov.json"))
    assert capsys.readouterr().err.startswith("Could not use b.prov.json: the disk is full;")


def test_the_streams_are_given_back_after_a_failure():
    before = sys.stdout, sys.stderr
    with pytest.raises(SystemExit), tracked(job(), "scripts/collect.py"):
        raise UserError("x")
    assert (sys.stdout, sys.stderr) == before


def test_the_sidecar_is_json_with_the_keys_of_its_layout():
    run()
    keys = "schema_version file sha256 size rule wildcards params inputs sources code_sha256 git software"
    keys += " host started ended sidecar_sha256"
    assert list(json.loads(Path("out.txt.prov.json").read_text())) == keys.split()


def test_what_a_killed_job_wrote_half_is_removed_and_nothing_else():
    for name in (".out.txt.123", ".out.txt.prov.json.123", ".out.txt2", "out.txt.backup"):
        Path(name).touch()
    run()
    assert {path.name for path in Path().iterdir() if "out" in path.name} == {
        ".out.txt2",
        "out.txt.backup",
        "out.txt",
        "out.txt.prov.json",
    }


def test_an_interrupt_ends_the_job_without_a_traceback_but_for_the_log(capsys):
    with pytest.raises(SystemExit) as end, tracked(job(), "scripts/collect.py"):
        raise KeyboardInterrupt
    assert end.value.code == 130
    assert "Traceback" not in capsys.readouterr().err
    assert "KeyboardInterrupt" in log()
