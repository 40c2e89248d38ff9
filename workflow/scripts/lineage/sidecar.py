"""The sidecar F.prov.json beside each result file F: where the file comes from."""

import contextlib
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any

from lineage.digest import Fingerprint
from lineage.source import Source

SCHEMA_VERSION = 2
UNPROTECTED = 1  # the earlier layout, without `sources` and `sidecar_sha256`
SUFFIX = ".prov.json"


class SidecarError(Exception):
    """A sidecar that cannot be read as one; its message is the reason."""


@dataclass(frozen=True, kw_only=True)
class Sidecar:
    """What is known about one file; paths are relative to the workflow's working directory, times ISO 8601 in UTC."""

    schema_version: int = SCHEMA_VERSION
    file: str
    sha256: str
    size: int  # bytes
    rule: str
    wildcards: Mapping[str, object]
    params: Mapping[str, object]
    inputs: tuple[Fingerprint, ...]
    sources: tuple[Source, ...] = ()  # what served from outside of the workflow
    code_sha256: str  # of the script and its imports, by syntax tree
    git: Mapping[str, object] | None  # commit and dirty, None where there is no repository
    software: Mapping[str, object]  # name to version
    host: str
    started: str
    ended: str


def sidecar_path(path: Path) -> Path:
    """Return where the sidecar of a file or folder stands."""
    return path.with_name(path.name + SUFFIX)


def write_sidecar(sidecar: Sidecar, directory: Path) -> None:
    """Write a sidecar beside its file below `directory`, whole or not at all; raises OSError where it cannot."""
    path = sidecar_path(directory / sidecar.file)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        unfinished.write_bytes(sealed(vars(sidecar)))
        unfinished.replace(path)
    finally:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)


def read_sidecar(path: Path) -> Sidecar:
    """Read one sidecar; raises SidecarError with the reason, also where it was changed or cannot be read."""
    try:
        written = path.read_bytes()
        content = json.loads(written)
    except (OSError, ValueError, RecursionError) as error:
        raise SidecarError(f"cannot be read ({error})") from error
    version = content.get("schema_version") if isinstance(content, dict) else None
    if version not in (SCHEMA_VERSION, UNPROTECTED):
        raise SidecarError(f"is not a sidecar with schema_version {SCHEMA_VERSION} or {UNPROTECTED}")
    if version == UNPROTECTED:
        _check_keys(content, {field.name for field in fields(Sidecar)} - {"sources"})
        return _checked({**content, "sources": []})
    stated = content.pop("sidecar_sha256", None)
    if sealed(content) != written:
        raise SidecarError(f"was changed after it was written (sidecar_sha256 {str(stated)[:10]} does not fit)")
    return _checked(content)


def sealed(content: Mapping[str, object]) -> bytes:
    """Return the text of a sidecar: the content and the hash of its text."""
    digest = hashlib.sha256(_text(content).encode()).hexdigest()
    return _text({**content, "sidecar_sha256": digest}).encode()


def _text(content: Mapping[str, object]) -> str:
    return json.dumps(content, indent=2, default=_plain) + "\n"


def _checked(content: dict[str, object]) -> Sidecar:
    _check_keys(content, {field.name for field in fields(Sidecar)})
    for name, kind in _KINDS.items():
        _check(isinstance(content[name], kind), name, content[name])
    inputs = _checked_files(content.pop("inputs"))
    sources = tuple(_checked_source(entry) for entry in content.pop("sources"))  # type: ignore[attr-defined]
    sidecar = Sidecar(**content, inputs=inputs, sources=sources)  # type: ignore[arg-type]
    _check_fingerprint(Fingerprint(file=sidecar.file, sha256=sidecar.sha256, size=sidecar.size))
    _check_times(sidecar)
    return sidecar


_KINDS: dict[str, type | tuple[type, ...]] = {
    "wildcards": dict,
    "params": dict,
    "inputs": list,
    "sources": list,
    "git": (dict, type(None)),
    "software": dict,
    **dict.fromkeys(["rule", "code_sha256", "host", "started", "ended"], str),
}


def _checked_source(entry: object) -> Source:
    if not isinstance(entry, dict):
        raise SidecarError(f"has the source {entry!r}, expected name, url and files")
    _check_keys(entry, {field.name for field in fields(Source)})
    for name, kind in (("name", str), ("url", str), ("files", list)):
        _check(isinstance(entry[name], kind), name, entry[name])
    return Source(**{**entry, "files": _checked_files(entry["files"])})


def _checked_files(entries: Any) -> tuple[Fingerprint, ...]:
    return tuple(_checked_file(entry) for entry in entries)


def _checked_file(entry: object) -> Fingerprint:
    if not isinstance(entry, dict):
        raise SidecarError(f"has the file {entry!r}, expected file, sha256 and size")
    _check_keys(entry, {field.name for field in fields(Fingerprint)})
    return _check_fingerprint(Fingerprint(**entry))


def _check_fingerprint(found: Fingerprint) -> Fingerprint:
    _check(isinstance(found.file, str) and found.file != "", "file", found.file)
    hexadecimal = isinstance(found.sha256, str) and len(found.sha256) == 64 and set(found.sha256) <= _HEX_DIGITS
    _check(hexadecimal, "sha256", found.sha256)
    _check(type(found.size) is int and found.size >= 0, "size", found.size)
    return found


_HEX_DIGITS = set("0123456789abcdef")


def _check_times(sidecar: Sidecar) -> None:
    for name in ("started", "ended"):
        try:
            datetime.fromisoformat(getattr(sidecar, name))
        except ValueError as error:
            raise SidecarError(f"has {name}: {getattr(sidecar, name)!r}, expected an ISO 8601 time") from error


def _check_keys(content: dict[str, object], expected: set[str]) -> None:
    for name in sorted(expected ^ content.keys()):
        raise SidecarError(f"{'lacks' if name in expected else 'has the unknown key'} {name!r}")


def _check(is_valid: bool, name: str, value: object) -> None:
    if not is_valid:
        raise SidecarError(f"has an impossible value for {name}: {value!r}")


def _plain(value: object) -> object:
    """Turn what JSON does not know into what it knows."""
    if isinstance(value, Fingerprint | Source):
        return vars(value)
    if isinstance(value, Mapping):
        return dict(value)
    return sorted(value, key=repr) if isinstance(value, set | frozenset) else str(value)
