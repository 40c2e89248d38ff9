"""What every workflow job does around its own work: log, explain failures, write sidecars."""

import contextlib
import glob
import platform
import signal
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from lineage.code import Sources, code_hash, read_sources
from lineage.digest import Fingerprint, fingerprint, relative_name
from lineage.failures import plain_sentence
from lineage.git import git_state
from lineage.logs import copied_to
from lineage.sidecar import Sidecar, sidecar_path, write_sidecar
from lineage.software import loaded_versions
from lineage.source import Source
from lineage.starter import end_with_starter


class UserError(Exception):
    """A failure the user can act on; its message is one sentence and needs no traceback."""


class Named(Protocol):
    """Named values, as a mapping has them."""

    def items(self) -> Iterable[tuple[str, object]]: ...


class Job(Protocol):
    """The part of the workflow engine's job object that is used here."""

    rule: str
    wildcards: Named
    params: Named
    input: Sequence[str]
    output: Sequence[str]
    log: Sequence[str]


@contextlib.contextmanager
def tracked(job: Job, script: str) -> Iterator[list[Source]]:
    """Run the block as the work of this job: copy what it prints to the log, then write a sidecar beside each output.

    The block may add what served it from outside of the workflow to the list that it gets. A UserError, a full disk or
    a missing permission prints one sentence and raises SystemExit(1), with the traceback in the log alone; any other
    exception passes through. No sidecar survives a failure but that of an output which was there before: the engine
    keeps such a file. Inputs are hashed after the block, so that they do not disturb its clock; the code is read before
    it, so that a later edit is not recorded.
    The process ends with the Snakemake that started it.
    """
    end_with_starter()
    directory = Path.cwd()
    program = directory / script
    log = directory / str(job.log[0]) if job.log else None
    with _explained(job), copied_to(log):
        started, code = _now(), read_sources(program.parent)
        kept = _kept(job, directory)
        _forget(job, directory, kept)
        try:
            served: list[Source] = []
            yield served
            _write_sidecars(job, program, directory, code, served, started)
        except BaseException:
            with contextlib.suppress(OSError):
                _forget(job, directory, kept)
            raise


@contextlib.contextmanager
def _explained(job: Job) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        raise SystemExit(128 + signal.SIGINT) from None  # whoever pressed Ctrl-C knows
    except UserError as error:
        _fail(str(error))
    except OSError as error:
        sentence = plain_sentence(error, [str(name) for name in job.output])
        if sentence is None:
            raise
        _fail(sentence)


def _fail(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)
    raise SystemExit(1)


def _kept(job: Job, directory: Path) -> set[Path]:
    """Return the outputs that are there before the job: the engine removes all but those that are to be updated."""
    return {path for name in job.output if (path := directory / str(name)).exists()}


def _forget(job: Job, directory: Path, kept: set[Path]) -> None:
    """Remove sidecars of this job's outputs but those `kept`, none may outlive its file, and what was written half."""
    for name in job.output:
        path = directory / str(name)
        if path not in kept:
            sidecar_path(path).unlink(missing_ok=True)
        for unfinished in path.parent.glob(f".{glob.escape(path.name)}.*"):
            if unfinished.is_file():
                unfinished.unlink()


def _write_sidecars(
    job: Job, script: Path, directory: Path, code_as_read: Sources, served: Sequence[Source], started: str
) -> None:
    outputs = _fingerprints(job, job.output, directory, "was to write")
    inputs = tuple(_fingerprints(job, job.input, directory, "has read"))
    code, git, software = code_hash(script, code_as_read), git_state(script.parent), loaded_versions(job)
    for output in outputs:
        sidecar = Sidecar(
            **asdict(output),
            rule=job.rule,
            wildcards=dict(job.wildcards.items()),
            params=dict(job.params.items()),
            inputs=inputs,
            sources=tuple(served),
            code_sha256=code,
            git=git,
            software=software,
            host=platform.node(),
            started=started,
            ended=_now(),
        )
        write_sidecar(sidecar, directory)


def _fingerprints(job: Job, paths: Sequence[str], directory: Path, role: str) -> list[Fingerprint]:
    names = dict.fromkeys(relative_name(str(path), directory) for path in paths)
    for name in names:
        if not (directory / name).exists():
            raise UserError(f"Rule {job.rule} {role} {name}, which does not exist at its end; see the job's log.")
    return [fingerprint(name, directory) for name in names]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
