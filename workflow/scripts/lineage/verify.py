"""Hash results again and compare them with their sidecars."""

from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lineage import left_out
from lineage.comparison import Comparison, Read
from lineage.digest import entries_below
from lineage.job import UserError
from lineage.place import Place, name_of_folder
from lineage.sidecar import SUFFIX, Sidecar, SidecarError, read_sidecar, sidecar_path

CRATE = "ro-crate-metadata.json"


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What a verification found."""

    verified: int  # files that agree with their sidecars, inputs included
    problems: tuple[str, ...]  # one sentence each
    notes: tuple[str, ...] = ()  # what could not be compared because it is not here, one sentence each

    @property
    def summary(self) -> str:
        """The counts in words."""
        return f"{self.verified} files verified, {len(self.problems)} problems"


def verify(results: Path) -> Verdict:
    """Compare every file below the folder `results` and its inputs with what the sidecars say.

    The folder may be a copy, also a renamed one: it is found by its sidecars how it was called. An input from outside
    it that is not here, and a file named in its left_out.txt, is a note and no problem. The code that made a file may
    since have changed: that is no problem either. Raises UserError where there is nothing to verify.
    """
    _require_results(results)
    folder = results.absolute()
    paths, read = _results(folder), cache(_sidecar)
    comparison = Comparison(_place(paths, folder, read), left_out.read(folder), read)
    findings = [list(comparison.problems(path)) for path in paths]
    problems = [*(problem for found in findings for problem in found), *comparison.contradictions()]
    verified = sum(not found for found in findings)
    return Verdict(verified=verified, problems=tuple(problems), notes=(*comparison.notes(), *_without_list(folder)))


def _require_results(folder: Path) -> None:
    """Raise UserError for a file, and for a folder that holds the results beside other things."""
    if folder.is_file():
        raise UserError(f"{folder} is a file, expected a folder of results, such as results.")
    inner = folder / "results"
    if inner.is_dir():
        raise UserError(f"{folder} is no folder of results, did you mean {inner}?")
    if (folder / ".git").exists():
        raise UserError(f"{folder} is a repository, expected a folder of results; run the workflow first.")


def _without_list(folder: Path) -> list[str]:
    """The crate was made from all other files, so its sidecar lists them."""
    if (folder / CRATE).exists():
        return []
    return [f"{CRATE}: is not here, so a file that is gone together with its sidecar may go unnoticed."]


def _results(folder: Path) -> list[Path]:
    """Return the files and folders that have or ought to have a sidecar, sorted."""
    paths = entries_below(folder)
    described = {path.with_name(path.name.removesuffix(SUFFIX)) for path in paths if path.name.endswith(SUFFIX)}
    plain = {path for path in paths if not path.name.endswith(SUFFIX) and not _ignored(path, folder)}
    inside = {path for path in plain if described.intersection(path.parents)}  # its folder is what has the sidecar
    if not described | plain:
        state = "is empty" if folder.is_dir() else "does not exist"
        raise UserError(f"There is nothing to verify: {folder} {state}; run the workflow first.")
    return sorted(described | (plain - inside))


def _ignored(path: Path, results: Path) -> bool:
    relative = path.relative_to(results)
    return path.name == ".gitkeep" or relative.parts[0] == "logs" or str(relative) in {"report.html", left_out.NAME}


def _sidecar(path: Path) -> Sidecar | SidecarError:
    try:
        return read_sidecar(sidecar_path(path))
    except SidecarError as error:
        return error


def _place(paths: list[Path], folder: Path, read: Read) -> Place:
    """Return the folder with the name by which most sidecars call it."""
    made = [(path, found) for path in paths if isinstance(found := read(path), Sidecar)]
    counts = Counter(name for path, sidecar in made if (name := name_of_folder(sidecar.file, path, folder)))
    return Place(name=max(sorted(counts), key=counts.__getitem__, default=folder.name), folder=folder)
