"""A lock on an open file, which the system frees when its holder ends, however it ends."""

from typing import TextIO

try:
    import fcntl
except ImportError:  # Windows has no such lock
    fcntl = None  # type: ignore[assignment]


def locked(file: TextIO | int) -> bool:
    """Lock the file until it is closed and return True, False if another process holds it.

    True as well where the system or the file system has no locks.
    """
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True
