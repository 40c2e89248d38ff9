"""The tree from one file back to its sources, read from sidecars."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lineage.digest import Fingerprint, fingerprint, relative_name
from lineage.job import UserError
from lineage.sidecar import SUFFIX, Sidecar, SidecarError, read_sidecar, sidecar_path

MAX_NAMED_REFERENCES = 3


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line of the tree: a file behind its branches, and what is known about it."""

    label: str
    details: tuple[str, ...] = ()


class Tracer:
    """Walks sidecars below one working directory; remembers what it has shown."""

    def __init__(self, directory: Path) -> None:
        """Paths in sidecars are relative to `directory`."""
        self._directory = directory
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
        first, rest = ("└── ", "    ") if is_last else ("├── ", "│   ")
        if self._is_repeated(entry):  # shown meanwhile, below one of its neighbours
            yield Line(label=f"{before}{first}{_reference([entry.file])}")
        else:
            yield from self.lines(entry, before + first, before + rest)

    def _is_repeated(self, entry: Fingerprint) -> bool:
        return entry.file in self._shown and self._today(entry.file) == entry.sha256

    def _details(self, entry: Fingerprint, sidecar: Sidecar | str) -> tuple[str, ...]:
        today = self._today(entry.file)
        origin = (sidecar, "", "") if isinstance(sidecar, str) else (sidecar.rule, sidecar.host, sidecar.ended)
        return ((today or entry.sha256)[:10], *origin, _state(entry.sha256, today))

    def _today(self, name: str) -> str | None:
        """Return the file's hash, None where it cannot be read."""
        if name not in self._hashes:
            try:
                self._hashes[name] = fingerprint(name, self._directory).sha256
            except OSError:
                self._hashes[name] = None
        return self._hashes[name]

    def _sidecar(self, name: str) -> Sidecar | str:
        """Return the sidecar, or a word in its place."""
        path = sidecar_path(self._directory / name)
        try:
            return read_sidecar(path) if path.exists() else "source"
        except SidecarError:
            return "unreadable sidecar"


def trace(file: Path, directory: Path) -> str:
    """Return the tree of one result file as text; raises UserError where it has no readable sidecar.

    Each line: file, sha256 today (10 digits), rule, host, end time (UTC); or `source` for a file that no job made.
    `changed` marks a file that differs from what was recorded where it was used, `missing` one that is gone. What was
    shown before is only named, `(see above)`.
    """
    directory = directory.absolute()
    name = relative_name(str(file).removesuffix(SUFFIX), directory)
    path = sidecar_path(directory / name)
    if not path.exists():
        raise UserError(f"{name} has no sidecar ({path} does not exist), expected a file that the workflow has made.")
    try:
        made = read_sidecar(path)
    except SidecarError as error:
        raise UserError(f"{path} {error}; delete it and {name} and run the workflow again.") from error
    root = Fingerprint(file=name, sha256=made.sha256, size=made.size)
    return _aligned(list(Tracer(directory).lines(root)))


def _state(recorded: str, today: str | None) -> str:
    if today is None:
        return "missing"
    return "" if today == recorded else f"changed (was {recorded[:10]})"


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
