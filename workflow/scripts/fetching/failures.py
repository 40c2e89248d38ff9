"""The failure of one source, after which the next is tried, and what no other source would mend."""

import errno


class SourceError(Exception):
    """One source cannot serve; the message is the reason, fit to stand in a list of reasons."""


def is_of_our_disk(error: Exception) -> bool:
    """Tell whether another source would fail likewise, because nothing more can be written here."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS)
