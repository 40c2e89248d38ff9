"""One plain sentence for failures of the disk and its permissions."""

import errno
import os

_ADVICE = {
    errno.ENOSPC: "the disk is full; free some space there and run the same command again",
    errno.EDQUOT: "your disk quota is used up; free some space there and run the same command again",
    errno.EACCES: "permission denied; give your user the right to read and write it and run the same command again",
    errno.EPERM: "the system does not permit it; check the owner of that path and run the same command again",
    errno.EROFS: "the file system is read-only; work in a folder that you can write to",
}


def plain_sentence(error: OSError, outputs: list[str]) -> str | None:
    """Say what failed and what to do, or return None for an error that needs its traceback.

    A failed write carries no file name: then the sentence names the job's outputs.
    """
    advice = _ADVICE.get(error.errno or 0)
    named = [os.fsdecode(error.filename)] if isinstance(error.filename, str | bytes) else outputs
    return f"Could not use {', '.join(named) or 'a file of this job'}: {advice}." if advice else None
