import pytest

from configs import DEFAULT
from lineage.job import UserError
from planning.local_copy import require_copy_if_only_source

CIFAR10 = DEFAULT["datasets"]["cifar10"]


@pytest.mark.parametrize(("path", "shown"), [(None, "null"), ("/no/such.tgz", "'/no/such.tgz'")])
def test_an_only_source_that_leads_to_nothing_is_refused(path, shown):
    with pytest.raises(UserError, match=f"config.datasets.mine.local_path is {shown}, expected a folder or archive"):
        require_copy_if_only_source("mine", CIFAR10 | {"sources": ["local"], "local_path": path})


@pytest.mark.parametrize("sources", [["local", "npm"], ["npm", "local"], ["npm"]])
def test_where_another_source_may_work_nothing_is_refused(sources):
    require_copy_if_only_source("mine", CIFAR10 | {"sources": sources, "local_path": "/no/such.tgz"})


def test_a_copy_that_is_there_and_images_that_are_made_here_pass(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "mine").mkdir()
    for path in (str(tmp_path / "mine"), "~/mine"):
        require_copy_if_only_source("mine", CIFAR10 | {"sources": ["local"], "local_path": path})
    require_copy_if_only_source("synthetic", DEFAULT["datasets"]["synthetic"])
