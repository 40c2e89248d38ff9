"""Ends a process with the one that started it: a killed Snakemake would otherwise leave its trainer at work."""

import os
import select
import signal
import sys
import threading

STARTER = "GPU_TRAINING_SPEEDUP_STARTER"  # environment variable: the process id that jobs are to end with


def announce_as_starter() -> None:
    """Let what this process starts from now on end with it."""
    os.environ[STARTER] = str(os.getpid())


def end_with_starter(signal_number: int = signal.SIGKILL) -> None:
    """Send this process a signal as soon as its announced starter has ended, at once if it has already.

    Does nothing where no starter was announced, and where the system cannot watch another process (Linux 5.3 can).
    """
    starter = os.environ.get(STARTER)
    if starter is not None:
        end_with(int(starter), signal_number)


def end_with(process: int, signal_number: int = signal.SIGKILL) -> None:
    """Send this process a signal as soon as the other one has ended.

    The parent's death signal of Linux would not do: it follows the thread that started a process, and a shell may
    stand between the two.
    """
    if not hasattr(os, "pidfd_open"):
        return
    try:
        other = os.pidfd_open(process)
    except ProcessLookupError:
        print(f"Process {process}, which started this one, has ended: so does this one.", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal_number)
    except OSError:  # an older kernel, or a sandbox that forbids it
        return
    else:
        threading.Thread(target=_wait_and_end, args=(other, signal_number), daemon=True).start()


def _wait_and_end(other: int, signal_number: int) -> None:
    waiting = select.poll()
    waiting.register(other, select.POLLIN)
    waiting.poll()  # readable once that process has ended; until then this thread sleeps in the kernel
    os.kill(os.getpid(), signal_number)
