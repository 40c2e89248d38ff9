import io

import pytest

from fetching.progress import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def clock_of(*times):
    return iter(times).__next__


def test_the_line_tells_megabytes_of_total_and_rate():
    progress = Progress("archive", total=170_000_000, clock=clock_of(0.0, 1.0, 2.0))
    progress.update(50_000_000)
    assert progress.line() == "archive: 50.0 of 170.0 MB, 25.0 MB/s"


def test_an_unknown_total_is_left_out_and_survives_the_reset_of_pooch():
    progress = Progress("archive", clock=clock_of(0.0, 1.0, 2.0, 2.0))
    progress.update(3_000_000)
    progress.reset()
    progress.update(0)
    assert progress.done == 3_000_000


def test_a_last_chunk_that_is_shorter_does_not_pass_the_total():
    progress = Progress("archive", total=100)
    progress.update(64)
    progress.update(64)
    assert progress.done == 100


def test_a_stopped_download_is_ended_at_its_next_chunk():
    progress = Progress("archive")
    progress.stop()
    with pytest.raises(TimeoutError):
        progress.update(1)


def test_a_terminal_gets_one_line_rewritten(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    progress = Progress("a", clock=clock_of(*range(20)))
    progress.update(1_000_000)
    progress.update(1_000_000)
    progress.stop()
    assert terminal.getvalue().count("\r") == 2
    assert terminal.getvalue().count("\n") == 1


def test_a_log_gets_few_plain_lines(monkeypatch):
    log = io.StringIO()
    monkeypatch.setattr("sys.stderr", log)
    progress = Progress("a", total=100, clock=clock_of(*[second / 2 for second in range(500)]))
    for _ in range(100):
        progress.update(1)
    progress.close()
    assert "\r" not in log.getvalue()
    assert 2 <= log.getvalue().count("\n") <= 8
