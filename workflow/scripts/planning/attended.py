"""Runs Snakemake under the folder's lock: `python -m planning.attended snakemake [options] -- target [target ...]`.

One call for each target, in order. What a killed call left locked is unlocked first. Ctrl-C, a termination signal and
the end of the calling process end Snakemake and all that it started.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType

from lineage.failures import plain_sentence
from lineage.job import UserError
from lineage.starter import announce_as_starter, end_with
from planning.folder_lock import COMMAND, WORK, hold_folder, require_free
from planning.writable import ENGINE, require_writable

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
GRACE_S = 5  # for Snakemake to cancel what it submitted to a cluster
STOPPED = "Stopped: finished runs are kept, and the same command goes on with the rest (a run that was at work, anew)."


class StopRequestedError(Exception):
    """Somebody asked this process to end; the argument is the signal."""


def main(arguments: Sequence[str]) -> int:
    """Run the command for each target and return the first exit status that is not 0; a signal n counts as 128 + n."""
    end = arguments.index("--")
    command, targets = arguments[:end], arguments[end + 1 :]
    try:
        require_writable(ENGINE)
        hold_folder(COMMAND)
        require_free(WORK)
        _watch_for_signals()
        calls = [*_unlocking(command), *([*command, "--", target] for target in targets)]
        return next((status for call in calls if (status := _attend(call))), 0)
    except UserError as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        sentence = plain_sentence(error, [])
        if sentence is None:
            raise
        print(sentence, file=sys.stderr)
        return 1
    except StopRequestedError as stop:
        print(STOPPED, file=sys.stderr)
        return 128 + stop.args[0]


def _watch_for_signals() -> None:
    for number in SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:  # as `nohup` asks for
            signal.signal(number, _request_stop)
    announce_as_starter()
    end_with(os.getppid(), signal.SIGTERM)


def _request_stop(number: int, frame: FrameType | None) -> None:
    raise StopRequestedError(number)


def _unlocking(command: Sequence[str]) -> list[list[str]]:
    """Return the call that removes Snakemake's own lock, if there is one: its owner is dead, or it had held ours."""
    return [[*command, "--unlock"]] if any(Path(".snakemake/locks").glob("*.lock")) else []


def _attend(call: Sequence[str]) -> int:
    """Run one call in a process group of its own, so that Ctrl-C reaches it through us alone."""
    with subprocess.Popen(call, process_group=0, env=_environment()) as process:
        try:
            status = process.wait()
        except StopRequestedError:
            _end(process)
            raise
        if status < 0:
            print(f"Snakemake was ended by {signal.Signals(-status).name}. {STOPPED}", file=sys.stderr)
            _kill_group(process)
    return 128 - status if status < 0 else status


def _environment() -> dict[str, str]:
    """Return the environment without this package's folder, which make put first into PYTHONPATH.

    With UTF-8 whatever the locale: Snakemake's log of a folder with other than ASCII letters fails otherwise.
    """
    _, _, users_own = os.environ.get("PYTHONPATH", "").partition(os.pathsep)
    return {**os.environ, "PYTHONPATH": users_own, "PYTHONUTF8": "1"}


def _end(process: subprocess.Popen) -> None:
    with suppress(subprocess.TimeoutExpired, StopRequestedError):  # a second Ctrl-C cuts the wait short
        process.send_signal(signal.SIGINT)
        process.wait(GRACE_S)
    _kill_group(process)


def _kill_group(process: subprocess.Popen) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
