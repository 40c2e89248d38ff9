"""Small files of the system that may or may not be there. Imports nothing heavy: the scheduler reads some, too."""

from pathlib import Path


def read_text(path: Path) -> str | None:
    """Return the stripped text of a file, or None when it cannot be read or is empty."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip() or None
    except OSError:
        return None


def read_int(path: Path) -> int | None:
    """Return the whole number that a file holds, or None when there is no such file or number."""
    try:
        return int(read_text(path) or "")
    except ValueError:
        return None


def read_cpu_list(path: Path) -> set[int]:
    """Return the CPUs of a list such as `0-3,8`; an empty set when it cannot be read."""
    ends = [part.split("-") for part in (read_text(path) or "").split(",") if part]
    return {cpu for first, *last in ends for cpu in range(int(first), int((last or [first])[0]) + 1)}
