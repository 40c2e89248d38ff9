"""planning.attended, with a small program in the place of Snakemake."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from configs import ROOT
from planning.attended import STOPPED, main

# Notes how it was called; asked for `wait`, starts a child, tells its process id and waits.
PROGRAM = """
import os, subprocess, sys, time
from pathlib import Path
print(*sys.argv[1:], file=open("calls", "a"))
print(os.environ.get("PYTHONPATH"), file=open("path", "w"))
if "--unlock" in sys.argv:
    for lock in Path(".snakemake/locks").iterdir():
        lock.unlink()
if "wait" in sys.argv:
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        print(child.pid, flush=True)
        time.sleep(60)
    except KeyboardInterrupt:
        if "stubborn" in sys.argv:
            time.sleep(60)
sys.exit(3 if "fail" in sys.argv else 0)
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / ".snakemake" / "locks").mkdir(parents=True)
    return tmp_path


def start(folder, *targets, options=(), through=()):
    attended = [sys.executable, "-m", "planning.attended", sys.executable, "program.py", *options, "--", *targets]
    return subprocess.Popen(
        [*through, *attended],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'workflow/scripts'}{os.pathsep}/their/own"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finished(process):
    out, err = process.communicate(timeout=30)
    return process.returncode, out, err


def calls(folder):
    return (folder / "calls").read_text().splitlines()


def is_alive(process):
    try:
        return "Z" not in Path(f"/proc/{process}/stat").read_text().rsplit(")")[-1].split()[0]
    except FileNotFoundError:
        return False


def is_soon_gone(process):
    end = time.monotonic() + 20
    while is_alive(process) and time.monotonic() < end:
        time.sleep(0.05)
    return not is_alive(process)


def test_the_command_is_called_for_each_target_in_order(folder):
    assert finished(start(folder, "data", "all", options=["--cores", "2"]))[0] == 0
    assert calls(folder) == ["--cores 2 -- data", "--cores 2 -- all"]


def test_a_target_that_fails_ends_the_command_with_its_status(folder):
    assert finished(start(folder, "fail", "all"))[0] == 3
    assert calls(folder) == ["-- fail"]


def test_the_search_path_of_this_package_is_not_handed_on(folder):
    finished(start(folder, "data"))
    assert (folder / "path").read_text() == "/their/own\n"


def test_what_a_killed_snakemake_left_locked_is_unlocked_first(folder):
    (folder / ".snakemake/locks/0.output.lock").touch()
    finished(start(folder, "all", options=["--cores", "2"]))
    assert calls(folder) == ["--cores 2 --unlock", "--cores 2 -- all"]


def test_a_second_command_in_the_folder_is_refused_and_unlocks_nothing(folder):
    first = start(folder, "wait")
    first.stdout.readline()
    (folder / ".snakemake/locks/0.output.lock").touch()
    status, _, error = finished(start(folder, "all"))
    assert status == 1
    assert error.count("\n") == 1 and f"{folder} (process {first.pid} on " in error
    assert (folder / ".snakemake/locks/0.output.lock").exists()
    first.terminate()
    finished(first)
    assert finished(start(folder, "all"))[0] == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_everything_with_one_sentence(folder, number):
    process = start(folder, "wait", "all")
    child = int(process.stdout.readline())
    process.send_signal(number)
    status, _, error = finished(process)
    assert (status, error) == (128 + number, STOPPED + "\n")
    assert is_soon_gone(child)
    assert calls(folder) == ["-- wait"]


def test_a_second_signal_does_not_wait_for_what_does_not_end(folder):
    process = start(folder, "wait", options=["stubborn"])
    child = int(process.stdout.readline())
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    started = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert finished(process)[2] == STOPPED + "\n"
    assert time.monotonic() - started < 4
    assert is_soon_gone(child)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a process watch another one")
def test_everything_ends_with_the_process_that_gave_the_command(folder):
    process = start(folder, "wait", through=["bash", "-c", '"$@"; true', "bash"])
    child = int(process.stdout.readline())
    process.kill()
    assert is_soon_gone(child)
    assert finished(process)[2] == STOPPED + "\n"  # the pipe ends with the last of them


def test_a_killed_snakemake_is_named_and_what_it_started_is_ended(folder):
    process = start(folder, "wait", "all")
    child = int(process.stdout.readline())
    snakemake = int(Path(f"/proc/{child}/stat").read_text().split()[3])
    os.kill(snakemake, signal.SIGKILL)
    status, _, error = finished(process)
    assert (status, error) == (137, f"Snakemake was ended by SIGKILL. {STOPPED}\n")
    assert is_soon_gone(child)


def test_a_lock_that_may_not_be_opened_is_named_in_one_sentence(folder, monkeypatch, capsys):
    def forbidden(lock):
        raise PermissionError(13, "Permission denied", f".snakemake/{lock}")

    monkeypatch.chdir(folder)
    monkeypatch.setattr("planning.attended.hold_folder", forbidden)
    assert main(["program", "--", "all"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("Could not use .snakemake/command.lock: permission denied") and error.count("\n") == 1
