"""lineage.logs: the terminal is left alone, the log is readable."""

import io
import sys
from pathlib import Path

import pytest

from lineage.logs import LineLog, Tee, copied_to


def logged(tmp_path: Path, *writes: str) -> str:
    log = LineLog(tmp_path / "job.log")
    for text in writes:
        log.write(text)
    log.close()
    return (tmp_path / "job.log").read_text()


@pytest.mark.parametrize(
    ("writes", "expected"),
    [
        (["one\n", "two\n"], "one\ntwo\n"),
        (["\r10 %", "\r20 %", "\n"], "10 %\n20 %\n"),
        (["10 %\r", "20 %\r", "done\n"], "10 %\n20 %\ndone\n"),
        (["a\r\nb\r", "\nc"], "a\nb\nc\n"),
        (["10 %", "\r      \r", "done\n"], "10 %\ndone\n"),
        (["\r\x1b[K\x1b[32m10 %\x1b[0m", "\r\x1b[K20 %\n"], "10 %\n20 %\n"),
        (["a\n\nb\n"], "a\n\nb\n"),
        (["no end"], "no end\n"),
        ([], ""),
    ],
)
def test_each_state_of_a_rewritten_line_has_its_own_line_in_the_log(tmp_path, writes, expected):
    assert logged(tmp_path, *writes) == expected


def test_the_terminal_gets_what_was_written_unchanged(tmp_path):
    terminal = io.StringIO()
    tee = Tee(terminal, LineLog(tmp_path / "job.log"))
    assert tee.write("\r\x1b[K10 %") == 8
    tee.writelines(["\r20 %", "\r\n"])
    assert terminal.getvalue() == "\r\x1b[K10 %\r20 %\r\n"
    assert (tmp_path / "job.log").read_text() == "10 %\n20 %\n"


def test_the_copy_answers_other_questions_as_the_terminal_does(tmp_path):
    class Terminal(io.StringIO):
        encoding = "latin-1"

        def isatty(self) -> bool:
            return True

    tee = Tee(Terminal(), LineLog(tmp_path / "job.log"))
    assert (tee.isatty(), tee.encoding) == (True, "latin-1")


def test_both_streams_are_copied_within_the_block_only(tmp_path, capsys):
    before = sys.stdout, sys.stderr
    with copied_to(tmp_path / "logs" / "job.log"):
        print("to stdout")
        print("to stderr", file=sys.stderr)
        kept = sys.stderr
    assert (sys.stdout, sys.stderr) == before
    kept.write("after\n")
    assert (tmp_path / "logs" / "job.log").read_text() == "to stdout\nto stderr\n"
    assert capsys.readouterr() == ("to stdout\n", "to stderr\nafter\n")


def test_the_log_can_be_followed_while_the_job_runs(tmp_path):
    with copied_to(tmp_path / "job.log"):
        print("first")
        assert (tmp_path / "job.log").read_text() == "first\n"


def test_a_failure_closes_the_progress_line_and_leaves_its_traceback_in_the_log(tmp_path, capsys):
    with pytest.raises(ZeroDivisionError), copied_to(tmp_path / "job.log"):
        sys.stderr.write("\r10 %")
        1 / 0  # noqa: B018
    assert capsys.readouterr().err == "\r10 %\n"
    lines = (tmp_path / "job.log").read_text().splitlines()
    assert lines[:2] == ["10 %", "Traceback (most recent call last):"]
    assert lines[-1] == "ZeroDivisionError: division by zero"


def test_a_progress_line_that_is_left_open_ends_with_the_block(tmp_path, capsys):
    with copied_to(tmp_path / "job.log"):
        sys.stderr.write("\r10 %\r20 %")
    assert capsys.readouterr().err == "\r10 %\r20 %\n"
    assert (tmp_path / "job.log").read_text() == "10 %\n20 %\n"


def test_a_log_on_a_full_disk_does_not_hide_the_error(tmp_path, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(ZeroDivisionError), copied_to(tmp_path / "job.log"):
        monkeypatch.setattr(LineLog, "write", full)
        1 / 0  # noqa: B018


def test_without_a_log_nothing_changes(capsys):
    before = sys.stderr
    with copied_to(None):
        assert sys.stderr is before
