import os

import pytest

from lineage.job import UserError
from planning.writable import RESULTS, require_writable


def test_what_does_not_exist_yet_is_judged_by_the_folder_above(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(os, "access", lambda path, mode: asked.append(path) or True)
    (tmp_path / "results/logs").mkdir(parents=True)
    require_writable(["results/logs", "results/runs", ".snakemake"], tmp_path)
    assert asked == [tmp_path / "results/logs", tmp_path / "results", tmp_path]


def test_a_closed_folder_is_named_with_what_to_do(tmp_path, monkeypatch):
    closed = tmp_path / "results/runs"
    closed.mkdir(parents=True)
    monkeypatch.setattr(os, "access", lambda path, mode: path != closed)
    with pytest.raises(
        UserError, match=f"^{closed} cannot be written by your user, or lies on a read-only disk: change"
    ):
        require_writable(RESULTS, tmp_path)
