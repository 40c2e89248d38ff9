import errno
from pathlib import Path

import pytest

from fetching.failures import in_plain_words
from lineage.job import UserError

OUTPUT = Path("results/data/d.npz")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (errno.ENOSPC, "disk is full"),
        (errno.EACCES, "no permission"),
        (errno.EROFS, "read-only"),
        (errno.EDQUOT, "quota"),
        (errno.EPERM, "no permission"),
    ],
)
def test_failures_to_write_become_one_sentence_with_the_file(code, words):
    with pytest.raises(UserError, match=f"Cannot write {OUTPUT}: .*{words}"), in_plain_words(OUTPUT):
        raise OSError(code, "terse")


def test_other_failures_pass_unchanged():
    with pytest.raises(OSError, match="odd"), in_plain_words(OUTPUT):
        raise OSError(errno.EIO, "odd")
