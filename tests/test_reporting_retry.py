import subprocess
import sys
from pathlib import Path

from records import ROOT, Run, write
from reporting.retry import main, not_ok

FAILED = Run(repeat=2, status="oom", changes={"train_s": None})


def test_only_records_that_are_not_ok_are_named(tmp_path):
    files = write(tmp_path, [Run(repeat=1), FAILED])
    assert [str(path) for path in not_ok(tmp_path)] == [files.records[1]]


def test_a_record_that_cannot_be_read_is_named(tmp_path):
    (path,) = write(tmp_path, [Run()]).records
    Path(path).write_text("{")
    assert [str(p) for p in not_ok(tmp_path)] == [path]


def test_sidecars_are_no_records(tmp_path):
    (path,) = write(tmp_path, [Run()]).records
    Path(f"{path}.prov.json").write_text("{}")
    assert not_ok(tmp_path) == []


def test_no_folder_and_no_failure_print_nothing(tmp_path, capsys):
    assert main([str(tmp_path / "absent")]) == 0
    assert capsys.readouterr().out == ""


def test_the_command_prints_one_path_a_line(tmp_path):
    files = write(tmp_path, [FAILED, Run(repeat=3, status="diverged", changes={"train_s": None})])
    command = [sys.executable, "-m", "reporting.retry", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT / "workflow/scripts", capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == files.records


def test_the_command_without_a_folder_says_what_it_expects(capsys):
    assert main([]) == 2
    assert "expected one folder" in capsys.readouterr().err
