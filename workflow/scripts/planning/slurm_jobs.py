"""Jobs that an earlier Snakemake left with Slurm: killed outright, it cancels none of them, and they write records."""

import os
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lineage.job import UserError

LOGS = ".snakemake/slurm_logs"  # where the Slurm plugin lets the jobs of a folder write, unless it is told otherwise
RUN_ID = re.compile(r"(?:[\w-]+_)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")  # its name for all jobs of one run
FIELDS = ("State", "Name", "WorkDir", "StdOut")
ANSWER_S = 60


@dataclass(frozen=True, kw_only=True)
class SlurmJob:
    """One job in Slurm's queue, waiting or at work."""

    state: str
    name: str
    folder: Path
    """Where it was submitted, and starts."""
    output: Path

    def is_of(self, folder: Path) -> bool:
        """Whether the Slurm plugin submitted it for the study in `folder`, a path without links."""
        place, logs, _ = str(self.output).partition(f"/{LOGS}/")
        return Path(place) == folder if logs else self.folder == folder and bool(RUN_ID.fullmatch(self.name))


def require_no_slurm_jobs(folder: Path | None = None) -> None:
    """Raise UserError when Slurm has jobs of this folder, which would write the same records as those of a new run.

    Does nothing where there is no `squeue`. One that fails counts only in a folder from which jobs were submitted.
    """
    folder = (folder or Path()).resolve()
    command = shutil.which("squeue")
    if command is None:
        return
    try:
        jobs = [job for job in _queue(command) if job.is_of(folder)]
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        if (folder / LOGS).exists():
            raise UserError(_not_known(folder, error)) from None
        return
    if jobs:
        raise UserError(_still_there(folder, jobs))


def _queue(command: str) -> list[SlurmJob]:
    columns = ",".join(f"{field}:\t" for field in FIELDS)
    done = subprocess.run(
        [command, "--noheader", "--Format", columns], capture_output=True, timeout=ANSWER_S, check=True
    )
    return [_job(line) for line in os.fsdecode(done.stdout).splitlines()]


def _job(line: str) -> SlurmJob:
    state, name, folder, output, *_ = line.split("\t")
    return SlurmJob(state=state, name=name, folder=Path(folder), output=Path(output))


def _still_there(folder: Path, jobs: Sequence[SlurmJob]) -> str:
    counts = sorted(Counter(job.state.lower() for job in jobs).items())
    states = ", ".join(f"{count} {state}" for state, count in counts)
    what, they = ("1 job", "it has") if len(jobs) == 1 else (f"{len(jobs)} jobs", "they have")
    cancel = " && ".join(f"scancel --name={name}" for name in dict.fromkeys(job.name for job in jobs))
    return (
        f"Slurm still has {what} that an earlier Snakemake submitted for {folder} ({states}): wait until {they} ended, "
        f"which keeps what is finished, or run `{cancel}`, and then the same command again."
    )


def _not_known(folder: Path, error: Exception) -> str:
    said = os.fsdecode(getattr(error, "stderr", None) or str(error)).strip().splitlines()
    return (
        f"squeue failed ({said[-1]}), so it is not known whether Slurm still has jobs of {folder}: start where squeue "
        f"works, or remove {LOGS} there if it has none."
    )
