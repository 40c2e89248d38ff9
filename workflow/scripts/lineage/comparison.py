"""Compare the files of one folder of results with their sidecars, one by one."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

from lineage.digest import Fingerprint, fingerprint
from lineage.place import Place
from lineage.sidecar import SUFFIX, UNPROTECTED, Sidecar, SidecarError, sidecar_path

Read = Callable[[Path], Sidecar | SidecarError]

REMAKE = "delete it and run the workflow again"
GONE = "does not exist"


class Comparison:
    """Finds what does not match, and remembers what it could not compare because it is not here."""

    def __init__(self, place: Place, left_out: frozenset[str], read: Read) -> None:
        """`left_out`: names of files that are not here on purpose; `read` returns the sidecar of a file."""
        self._place, self._left_out, self._read = place, left_out, read
        self._unprotected = 0  # sidecars without a hash of their own
        self._measured: dict[str, Fingerprint | str] = {}
        self._absent: dict[str, list[str]] = defaultdict(list)  # name of what is not here -> hashes recorded of it

    def problems(self, path: Path) -> Iterator[str]:
        """Yield a sentence for each way in which this result and its sidecar disagree."""
        name = self._place.recorded(path)
        if not sidecar_path(path).exists():
            yield from self._without_sidecar(name)
            return
        sidecar = self._read(path)
        if isinstance(sidecar, SidecarError):
            yield f"{name}{SUFFIX}: {sidecar}; delete it and {name} and run the workflow again."
            return
        self._unprotected += sidecar.schema_version == UNPROTECTED
        yield from self._content_problems(name, sidecar)
        for entry in sidecar.inputs:
            yield from self._input_problems(name, entry)

    def contradictions(self) -> Iterator[str]:
        """Yield a sentence for each file that is not here and was not the same for all that was made from it."""
        for name, hashes in sorted(self._absent.items()):
            if len(set(hashes)) > 1:
                yield f"{name}: is not here, and its users saw {len(set(hashes))} contents; run the workflow again."

    def notes(self) -> Iterator[str]:
        """Yield a sentence for each file that is not here and need not be."""
        for name, hashes in sorted(self._absent.items()):
            why = "was left out" if name in self._left_out else "is not here"
            if name.endswith(SUFFIX):
                yield f"{name}: {why}, so nothing says where {name.removesuffix(SUFFIX)} comes from."
            else:
                yield f"{name}: {why}, so it was not compared with what {len(hashes)} sidecars say of it."
        if self._unprotected:
            yield (
                f"{self._unprotected} sidecars of an earlier version carry no hash of their own, so what they say of "
                "rules, parameters and times was not checked."
            )

    def _without_sidecar(self, name: str) -> Iterator[str]:
        if f"{name}{SUFFIX}" in self._left_out:
            self._absent[f"{name}{SUFFIX}"] = []
        else:
            yield f"{name}: has no sidecar, so nothing says where it comes from; {REMAKE}."

    def _content_problems(self, name: str, sidecar: Sidecar) -> Iterator[str]:
        if sidecar.file != name:
            yield f"{name}{SUFFIX}: describes {sidecar.file}, not {name}; put the file back in its place or {REMAKE}."
        today = self._measure(name)
        if self._is_excused(name, today):
            self._absent[name].append(sidecar.sha256)
        elif isinstance(today, str):
            yield f"{name}: {today}, though its sidecar is there; run the workflow again or delete the sidecar."
        elif today.sha256 != sidecar.sha256:
            yield f"{name}: sha256 is {_short(today)}, its sidecar says {_short(sidecar)}; restore it or {REMAKE}."
        elif today.size != sidecar.size:
            yield f"{name}{SUFFIX}: says {sidecar.size} bytes, the file has {today.size}; restore it or {REMAKE}."

    def _input_problems(self, name: str, entry: Fingerprint) -> Iterator[str]:
        made = f"{name}: was made from {entry.file}"
        today = self._measure(entry.file)
        if self._is_excused(entry.file, today):
            self._absent[entry.file].append(entry.sha256)
        elif isinstance(today, str):
            yield f"{made}, which {today}; restore that file or run the workflow again."
        elif today.sha256 != entry.sha256:
            advice = f"restore that file, or delete {name} and run the workflow again"
            yield f"{made} with sha256 {_short(entry)}, which now has {_short(today)}; {advice}."
        elif today.size != entry.size:
            yield f"{made} with {entry.size} bytes, which has {today.size}; its sidecar was edited: {REMAKE}."
        elif (source := self._sidecar(entry.file)) and source.sha256 != entry.sha256:
            yield f"{made} with sha256 {_short(entry)}, whose sidecar says {_short(source)}; run the workflow again."

    def _is_excused(self, name: str, today: Fingerprint | str) -> bool:
        """Return whether the file is not here and need not be."""
        return today == GONE and (name in self._left_out or not self._place.holds(name))

    def _measure(self, name: str) -> Fingerprint | str:
        if name not in self._measured:
            self._measured[name] = _measured(self._place.path(name))
        return self._measured[name]

    def _sidecar(self, name: str) -> Sidecar | None:
        sidecar = self._read(self._place.path(name))
        return sidecar if isinstance(sidecar, Sidecar) else None  # an error is reported with the file itself


def _measured(path: Path) -> Fingerprint | str:
    """Return the file's fingerprint today, or why it has none."""
    try:
        return fingerprint(path.name, path.parent)
    except FileNotFoundError:
        return GONE
    except OSError as error:
        return f"cannot be read ({error.strerror})"


def _short(found: Fingerprint | Sidecar) -> str:
    return found.sha256[:10]
