"""The sidecar F.prov.json beside each result file F: where the file comes from."""

import contextlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path

from lineage.digest import Fingerprint

SCHEMA_VERSION = 1
SUFFIX = ".prov.json"


class SidecarError(Exception):
    """A sidecar that cannot be read as one; its message is the reason."""


@dataclass(frozen=True, kw_only=True)
class Sidecar:
    """What is known about one file; paths are relative to the workflow's working directory, times ISO 8601 in UTC."""

    file: str
    sha256: str
    size: int  # bytes
    rule: str
    wildcards: Mapping[str, object]
    params: Mapping[str, object]
    inputs: tuple[Fingerprint, ...]
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
    text = json.dumps({"schema_version": SCHEMA_VERSION, **vars(sidecar)}, indent=2, default=_plain) + "\n"
    path = sidecar_path(directory / sidecar.file)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(path)
    finally:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)


def read_sidecar(path: Path) -> Sidecar:
    """Read one sidecar; raises SidecarError with the reason, also where the file cannot be read."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise SidecarError(f"cannot be read ({error})") from error
    if not isinstance(content, dict) or content.pop("schema_version", None) != SCHEMA_VERSION:
        raise SidecarError(f"is not a sidecar with schema_version {SCHEMA_VERSION}")
    return _checked(content)


def _checked(content: dict[str, object]) -> Sidecar:
    _check_keys(content, {field.name for field in fields(Sidecar)})
    for name, kind in _KINDS.items():
        _check(isinstance(content[name], kind), name, content[name])
    inputs = tuple(_checked_input(entry) for entry in content.pop("inputs"))  # type: ignore[attr-defined]
    sidecar = Sidecar(**content, inputs=inputs)  # type: ignore[arg-type]
    _check_fingerprint(Fingerprint(file=sidecar.file, sha256=sidecar.sha256, size=sidecar.size))
    _check_times(sidecar)
    return sidecar


_KINDS: dict[str, type | tuple[type, ...]] = {
    "wildcards": dict,
    "params": dict,
    "inputs": list,
    "git": (dict, type(None)),
    "software": dict,
    **dict.fromkeys(["rule", "code_sha256", "host", "started", "ended"], str),
}


def _checked_input(entry: object) -> Fingerprint:
    if not isinstance(entry, dict):
        raise SidecarError(f"has the input {entry!r}, expected file, sha256 and size")
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
    if isinstance(value, Fingerprint):
        return vars(value)
    if isinstance(value, Mapping):
        return dict(value)
    return sorted(value, key=repr) if isinstance(value, set | frozenset) else str(value)
