"""The tree from one file back to its sources, read from sidecars."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lineage import left_out
from lineage.digest import Fingerprint, fingerprint
from lineage.job import UserError
from lineage.place import Place, place_of
from lineage.sidecar import SUFFIX, Sidecar, SidecarError, read_sidecar, sidecar_path

MAX_NAMED_REFERENCES = 3
LEFT_OUT, NOT_HERE = "left out", "not here"
EXPECTED = {"", LEFT_OUT, NOT_HERE}  # what need not be said of a file twice


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line of the tree: a file behind its branches, and what is known about it."""

    label: str
    details: tuple[str, ...] = ()


class Tracer:
    """Walks the sidecars of one folder of results; remembers what it has shown."""

    def __init__(self, place: Place) -> None:
        """`place` says where the files are that sidecars name."""
        self._place = place
        self._left_out = left_out.read(place.folder)
        self._hashes: dict[str, str | None] = {}
        self._shown: set[str] = set()

    def lines(self, entry: Fingerprint, first: str = "", rest: str = "") -> Iterator[Line]:
        """Yield the line of this file, as its user recorded it, behind `first`, then its inputs' behind `rest`."""
        is_known = entry.file in self._shown  # then it has changed, or it would not be here
        self._shown.add(entry.file)
        sidecar = self._sidecar(entry.file)
        label = _reference([entry.file]) if is_known else entry.file
        yield Line(label=first + label, details=self._details(entry, sidecar))
        if isinstance(sidecar, Sidecar) and not is_known:
            yield from _sources(sidecar, rest)
            yield from self._inputs(sidecar, rest)

    def _inputs(self, sidecar: Sidecar, rest: str) -> Iterator[Line]:
        inputs = sorted(sidecar.inputs, key=lambda known: known.file)
        fresh = [known for known in inputs if not self._is_repeated(known)]
        repeated = [known.file for known in inputs if self._is_repeated(known)]
        for position, known in enumerate(fresh, 1):
            is_last = position == len(fresh) and not repeated
            yield from self._branch(known, rest, is_last)
        if repeated:
            yield Line(label=f"{rest}└── {_reference(repeated)}")

    def _branch(self, entry: Fingerprint, before: str, is_last: bool) -> Iterator[Line]:
        first, rest = _fork(is_last)
        if self._is_repeated(entry):  # shown meanwhile, below one of its neighbours
            yield Line(label=f"{before}{first}{_reference([entry.file])}")
        else:
            yield from self.lines(entry, before + first, before + rest)

    def _is_repeated(self, entry: Fingerprint) -> bool:
        return entry.file in self._shown and self._state(entry) in EXPECTED

    def _details(self, entry: Fingerprint, sidecar: Sidecar | str) -> tuple[str, ...]:
        today = self._today(entry.file)
        origin = (sidecar, "", "") if isinstance(sidecar, str) else (sidecar.rule, sidecar.host, sidecar.ended)
        return ((today or entry.sha256)[:10], *origin, self._state(entry))

    def _state(self, entry: Fingerprint) -> str:
        today = self._today(entry.file)
        if today is not None:
            return "" if today == entry.sha256 else f"changed (was {entry.sha256[:10]})"
        if entry.file in self._left_out:
            return LEFT_OUT
        return "missing" if self._place.holds(entry.file) else NOT_HERE

    def _today(self, name: str) -> str | None:
        """Return the file's hash, None where it cannot be read."""
        if name not in self._hashes:
            try:
                path = self._place.path(name)
                self._hashes[name] = fingerprint(path.name, path.parent).sha256
            except OSError:
                self._hashes[name] = None
        return self._hashes[name]

    def _sidecar(self, name: str) -> Sidecar | str:
        """Return the sidecar, or a word in its place."""
        path = sidecar_path(self._place.path(name))
        try:
            return read_sidecar(path) if path.exists() else "source"
        except SidecarError:
            return "unreadable sidecar"


def trace(file: Path) -> str:
    """Return the tree of one result file as text; raises UserError where it has no readable sidecar.

    Each line: file, sha256 today (10 digits), rule, host, end time (UTC); or `source` for a file that no job made.
    `changed` marks a file that differs from what was recorded where it was used, `missing` one that is gone, `left
    out` and `not here` one that a copy of the results does not hold or that lies outside of it. What was shown before
    is only named, `(see above)`. Names are relative to where the results lie, which may be a copy: a first line says
    where, if that is not the current folder.
    """
    file = Path(str(file.absolute()).removesuffix(SUFFIX))
    made = _read(file)
    place = place_of(made.file, file)
    if place is None:
        raise UserError(f"{sidecar_path(file)} describes {made.file}, not {file}; put the file back in its place.")
    root = Fingerprint(file=made.file, sha256=made.sha256, size=made.size)
    heading = "" if place.directory == Path.cwd() else f"In {place.directory}:\n"
    return heading + _aligned(list(Tracer(place).lines(root)))


def _read(file: Path) -> Sidecar:
    path = sidecar_path(file)
    if not path.exists():
        raise UserError(f"{file} has no sidecar {path.name} beside it, expected a file that the workflow has made.")
    try:
        return read_sidecar(path)
    except SidecarError as error:
        raise UserError(f"{path} {error}; delete it and {file} and run the workflow again.") from error


def _sources(sidecar: Sidecar, before: str) -> Iterator[Line]:
    """Yield a line for each file that came from outside of the workflow."""
    served = [(source, file) for source in sidecar.sources for file in source.files]
    for position, (source, file) in enumerate(served, 1):
        first, _ = _fork(position == len(served) and not sidecar.inputs)
        yield Line(
            label=f"{before}{first}{file.file} from {source.url}", details=(file.sha256[:10], "source", "", "", "")
        )


def _fork(is_last: bool) -> tuple[str, str]:
    """Return what stands before a branch, and before what hangs on it."""
    return ("└── ", "    ") if is_last else ("├── ", "│   ")


def _reference(names: list[str]) -> str:
    shown = ", ".join(names) if len(names) <= MAX_NAMED_REFERENCES else f"{len(names)} files"
    return f"{shown} (see above)"


def _aligned(lines: list[Line]) -> str:
    """Put the details of all lines in columns, two blanks apart."""
    rows = [(line.label, *line.details) for line in lines if line.details]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "".join(f"{_padded((line.label, *line.details), widths)}\n" for line in lines)


def _padded(cells: tuple[str, ...], widths: list[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=False)).rstrip()
