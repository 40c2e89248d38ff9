from types import SimpleNamespace

import pytest

from lineage.intact import require_intact
from lineage.job import UserError, tracked
from lineage.sidecar import sidecar_path


@pytest.fixture
def table(tmp_path, monkeypatch):
    """A file that a job made, with its sidecar."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "job.py").touch()
    job = SimpleNamespace(rule="collect", wildcards={}, params={}, input=[], output=["runs.csv"], log=[])
    with tracked(job, "job.py"):
        (tmp_path / "runs.csv").write_text("a,b\n1,2\n")
    return tmp_path / "runs.csv"


def test_a_file_as_it_was_made_and_one_without_a_sidecar_pass(table):
    require_intact(table, "delete it")
    table.write_text("a,b\n1,3\n")
    sidecar_path(table).unlink()
    require_intact(table, "delete it")


def test_a_changed_file_is_named_with_the_remedy(table):
    table.write_text("a,b\n1,3\n")
    with pytest.raises(UserError, match=r"runs\.csv: was changed after it was made, .*: delete it\.$"):
        require_intact(table, "delete it")


def test_a_damaged_sidecar_is_named_with_the_remedy(table):
    sidecar_path(table).write_text("{")
    with pytest.raises(UserError, match=r"runs\.csv\.prov\.json cannot be read .*: delete it\.$"):
        require_intact(table, "delete it")
