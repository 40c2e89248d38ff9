import errno

import pytest

from fetching.failures import SourceError, is_of_our_disk


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EROFS])
def test_a_disk_that_takes_no_more_ends_the_search(code):
    assert is_of_our_disk(OSError(code, "terse"))


@pytest.mark.parametrize("error", [OSError(errno.EACCES, "closed"), SourceError("gone"), ValueError("odd")])
def test_anything_else_leads_to_the_next_source(error):
    assert not is_of_our_disk(error)
