"""lineage.failures: one sentence for what the user can put right."""

import errno
import os

import pytest

from lineage.failures import plain_sentence


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "disk is full; free some space"),
        (errno.EDQUOT, "quota"),
        (errno.EACCES, "permission denied; give"),
        (errno.EPERM, "does not permit"),
        (errno.EROFS, "read-only"),
    ],
)
def test_the_sentence_names_the_file_and_what_to_do(number, words):
    sentence = plain_sentence(OSError(number, os.strerror(number), "results/a.csv"), ["results/b.csv"])
    assert sentence.startswith("Could not use results/a.csv: ")
    assert words in sentence


def test_a_failed_write_names_the_outputs_of_the_job():
    assert "use a.csv, b.csv: the disk is full" in plain_sentence(OSError(errno.ENOSPC, "full"), ["a.csv", "b.csv"])


def test_other_errors_have_no_sentence():
    assert plain_sentence(FileNotFoundError(errno.ENOENT, "no such file", "a.csv"), []) is None
    assert plain_sentence(OSError("cannot save"), []) is None
