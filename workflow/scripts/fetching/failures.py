"""The two kinds of failure: of one source, after which the next is tried, and of the whole job."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lineage.job import UserError

ADVICE = {
    errno.ENOSPC: "the disk is full: free some space and start again",
    errno.EDQUOT: "your disk quota is used up: free some space and start again",
    errno.EACCES: "you have no permission to write there: change it, or work in a folder of your own",
    errno.EPERM: "you have no permission to write there: change it, or work in a folder of your own",
    errno.EROFS: "that file system is read-only: work in a folder that can be written",
}


class SourceError(Exception):
    """One source cannot serve; the message is the reason, fit to stand in a list of reasons."""


def is_of_our_disk(error: Exception) -> bool:
    """Tell whether another source would fail likewise, because nothing more can be written here."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS)


@contextmanager
def in_plain_words(output: Path) -> Iterator[None]:
    """Turn a full disk, a missing permission and a read-only disk into a UserError of one sentence."""
    try:
        yield
    except OSError as error:
        if error.errno not in ADVICE:
            raise
        raise UserError(f"Cannot write {output}: {ADVICE[error.errno]}.") from error
