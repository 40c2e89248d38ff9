"""Hash results again and compare them with their sidecars."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lineage.digest import Fingerprint, files_below, fingerprint, relative_name
from lineage.job import UserError
from lineage.sidecar import SUFFIX, Sidecar, SidecarError, read_sidecar, sidecar_path

Measure = Callable[[str], Fingerprint]

REMAKE = "delete it and run the workflow again"


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What a verification found."""

    verified: int  # files that agree with their sidecars, inputs included
    problems: tuple[str, ...]  # one sentence each

    @property
    def summary(self) -> str:
        """The counts in words."""
        return f"{self.verified} files verified, {len(self.problems)} problems"


def verify(results: Path, directory: Path) -> Verdict:
    """Compare every file below `directory / results` and its inputs with what the sidecars say.

    Paths within sidecars are relative to `directory`, the workflow's working directory. The code that made a file may
    since have changed: that is no problem. Raises UserError where there is nothing to verify.
    """
    directory = directory.absolute()
    files = _results(directory / results, directory)
    measure = cache(lambda name: fingerprint(name, directory))
    findings = {name: list(_file_problems(name, directory, measure)) for name in files}
    problems = [problem for found in findings.values() for problem in found]
    return Verdict(verified=sum(not found for found in findings.values()), problems=tuple(problems))


def _results(folder: Path, directory: Path) -> list[str]:
    """Return the names of the files and folders that have or ought to have a sidecar, sorted."""
    paths = files_below(folder)
    sidecars = {path.with_name(path.name.removesuffix(SUFFIX)) for path in paths if path.name.endswith(SUFFIX)}
    plain = {path for path in paths if not path.name.endswith(SUFFIX) and not _ignored(path, folder)}
    inside = {path for path in plain if sidecars.intersection(path.parents)}  # its folder is what has the sidecar
    names = sorted(relative_name(path, directory) for path in sidecars | (plain - inside))
    if not names:
        state = "is empty" if folder.is_dir() else "does not exist"
        raise UserError(f"There is nothing to verify: {folder} {state}; run the workflow first.")
    return names


def _ignored(path: Path, results: Path) -> bool:
    relative = path.relative_to(results)
    return path.name == ".gitkeep" or relative.parts[0] == "logs" or relative == Path("report.html")


def _file_problems(name: str, directory: Path, measure: Measure) -> Iterator[str]:
    if not sidecar_path(directory / name).exists():
        yield f"{name}: has no sidecar, so nothing says where it comes from; {REMAKE}."
        return
    try:
        sidecar = read_sidecar(sidecar_path(directory / name))
    except SidecarError as error:
        yield f"{name}{SUFFIX}: {error}; delete it and {name} and run the workflow again."
        return
    yield from _content_problems(name, sidecar, measure)
    for entry in sidecar.inputs:
        yield from _input_problems(name, entry, directory, measure)


def _content_problems(name: str, sidecar: Sidecar, measure: Measure) -> Iterator[str]:
    if sidecar.file != name:
        yield f"{name}{SUFFIX}: describes {sidecar.file}, not {name}; put the file back in its place or {REMAKE}."
    today = _measured(name, measure)
    if isinstance(today, str):
        yield f"{name}: {today}, though its sidecar is there; run the workflow again or delete the sidecar."
    elif today.sha256 != sidecar.sha256:
        yield f"{name}: sha256 is {_short(today)}, its sidecar says {_short(sidecar)}; restore it or {REMAKE}."
    elif today.size != sidecar.size:
        yield f"{name}{SUFFIX}: says {sidecar.size} bytes, the file has {today.size}; restore it or {REMAKE}."


def _input_problems(name: str, entry: Fingerprint, directory: Path, measure: Measure) -> Iterator[str]:
    made = f"{name}: was made from {entry.file}"
    today = _measured(entry.file, measure)
    if isinstance(today, str):
        yield f"{made}, which {today}; restore that file or run the workflow again."
    elif today.sha256 != entry.sha256:
        advice = f"restore that file, or delete {name} and run the workflow again"
        yield f"{made} with sha256 {_short(entry)}, which now has {_short(today)}; {advice}."
    elif today.size != entry.size:
        yield f"{made} with {entry.size} bytes, which has {today.size}; its sidecar was edited: {REMAKE}."
    elif (source := _recorded(entry.file, directory)) and source.sha256 != entry.sha256:
        yield f"{made} with sha256 {_short(entry)}, whose sidecar says {_short(source)}; run the workflow again."


def _measured(name: str, measure: Measure) -> Fingerprint | str:
    try:
        return measure(name)
    except FileNotFoundError:
        return "does not exist"
    except OSError as error:
        return f"cannot be read ({error.strerror})"


def _recorded(name: str, directory: Path) -> Sidecar | None:
    try:
        return read_sidecar(sidecar_path(directory / name))
    except SidecarError:
        return None  # reported with the file itself


def _short(found: Fingerprint | Sidecar) -> str:
    return found.sha256[:10]
