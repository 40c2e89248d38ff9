import signal
import subprocess
import sys
import time

import pytest

from configs import ROOT
from lineage.starter import STARTER, end_with_starter

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a process watch another one")

JOB = """
import time
from lineage.starter import end_with_starter
end_with_starter()
print("at work", flush=True)
time.sleep(60)
"""
# A starter that runs its job through a shell that stays, from a thread: as Snakemake may do.
START = """
import subprocess, sys, threading
from lineage.starter import announce_as_starter
announce_as_starter()
command = ["bash", "-c", '"$0" -c "$1"; true', sys.executable, sys.argv[1]]
thread = threading.Thread(target=subprocess.run, args=(command,))
thread.start()
thread.join()
"""


def start(code, *arguments, **options):
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.Popen(command, cwd=ROOT / "workflow/scripts", stdout=subprocess.PIPE, text=True, **options)


def test_a_job_ends_with_its_killed_starter_although_a_shell_stands_between():
    with start(START, JOB) as starter:
        assert starter.stdout.readline() == "at work\n"
        starter.kill()
        started = time.monotonic()
        assert starter.stdout.read() == ""  # ends when the job, which holds the pipe open, has ended
        assert time.monotonic() - started < 20


def test_a_job_whose_starter_is_already_gone_does_not_begin():
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    with start(JOB, env={STARTER: str(gone.pid)}, stderr=subprocess.PIPE) as job:
        out, err = job.communicate(timeout=20)
    assert (job.returncode, out) == (-signal.SIGKILL, "")
    assert err == f"Process {gone.pid}, which started this one, has ended: so does this one.\n"


def test_nothing_is_watched_where_no_starter_was_announced(monkeypatch):
    monkeypatch.delenv(STARTER, raising=False)
    end_with_starter()
