"""A Slurm cluster of one node on this machine, with everything in a folder of its own."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import psutil

PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "setpriv")
MISSING = [name for name in PROGRAMS if shutil.which(name) is None]
PATIENCE_S = 300  # for a daemon to start or stop on a busy machine

# One node with one GPU that is none, so that it can be granted where there is no GPU. Memory and time are enforced.
CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmdSpoolDir={folder}/spool
StateSaveLocation={folder}/state
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
GresTypes=gpu
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=20000 Gres=gpu:1 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES State=UP
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
SchedulerParameters=sched_interval=1,bf_interval=1
KillWait=2
MinJobAge=3600
ReturnToService=2
"""


@contextmanager
def one_node(folder: Path) -> Iterator[dict[str, str]]:
    """Run the daemons and yield the environment in which Slurm's commands find them; stop all at the end."""
    _configure(folder)
    environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf"), "PATH": f"{folder}:{os.environ['PATH']}"}
    with ExitStack() as daemons:
        daemons.callback(_kill_left_over, folder)
        daemons.enter_context(_daemon(folder, environment, "munged", "--foreground", *_munge_paths(folder)))
        wait_until(lambda: (folder / "munge.socket").exists(), "munged")
        daemons.enter_context(_daemon(folder, environment, "slurmctld", "-D"))
        daemons.enter_context(_daemon(folder, environment, "slurmd", "-D"))
        wait_until(lambda: "idle" in slurm(environment, "sinfo", "--noheader", "--format=%T"), "the node")
        try:
            yield environment
        finally:
            slurm(environment, "scancel", "--user=root", "--signal=KILL", "--full")
            wait_until(lambda: not slurm(environment, "squeue", "--noheader"), "the end of all jobs")


def slurm(environment: dict[str, str], *command: str) -> str:
    """Return what one of Slurm's commands prints, nothing if it fails."""
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    return done.stdout


def _kill_left_over(folder: Path) -> None:
    """Kill what a job left behind: without control groups Slurm loses sight of a process whose parent has ended."""
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.pid != os.getpid() and process.environ().get("PATH", "").startswith(f"{folder}:"):
                process.kill()


def _configure(folder: Path) -> None:
    for name in ("spool", "state"):
        (folder / name).mkdir()
    host = socket.gethostname()
    text = CONFIGURATION.format(
        folder=folder, host=host, cpus=os.cpu_count(), controller_port=_free_port(), node_port=_free_port()
    )
    (folder / "slurm.conf").write_text(text)
    (folder / "gres.conf").write_text(f"NodeName={host} Name=gpu File=/dev/null\n")
    (folder / "munge.key").write_bytes(os.urandom(1024))
    (folder / "munge.key").chmod(0o400)
    # The plugin takes SLURM_CONF out of the environment of a job's steps, where it must be found again.
    (folder / "srun").write_text(f'#!/bin/sh\nSLURM_CONF={folder}/slurm.conf exec {shutil.which("srun")} "$@"\n')
    (folder / "srun").chmod(0o755)


def _munge_paths(folder: Path) -> list[str]:
    names = {"socket": "socket", "key-file": "key", "pid-file": "pid", "log-file": "log", "seed-file": "seed"}
    return ["--force", *(f"--{option}={folder}/munge.{name}" for option, name in names.items())]


@contextmanager
def _daemon(folder: Path, environment: dict[str, str], *command: str) -> Iterator[None]:
    """Run a daemon that ends with this process, however it ends."""
    with (folder / f"{command[0]}.out").open("w") as output:
        process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "TERM", *command], env=environment, stdout=output, stderr=output
        )
        try:
            yield
        finally:
            process.terminate()
            process.wait(timeout=PATIENCE_S)


def wait_until(condition, what: str = "it") -> None:
    """Return as soon as the condition holds; AssertionError when it does not within PATIENCE_S."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, f"{what} did not come within {PATIENCE_S} s"
        time.sleep(0.2)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
