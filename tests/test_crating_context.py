"""crating.context: the time from the first job's start to the last one's end."""

from dataclasses import replace
from pathlib import Path

import pytest

from crate_entities import context
from lineage.sidecar import read_sidecar, write_sidecar
from results_tree import DATA, FIGURE, make_results


@pytest.fixture(autouse=True)
def results(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_results(tmp_path)


def test_the_study_lasts_from_the_first_start_to_the_last_end():
    for name, times in (
        (DATA, {"started": "2026-11-30T23:59:00+00:00", "ended": "2026-11-30T23:59:30+00:00"}),
        (FIGURE, {"started": "2026-12-01T11:00:00+00:00", "ended": "2026-12-01T11:00:07+00:00"}),
    ):
        write_sidecar(replace(read_sidecar(Path(f"{name}.prov.json")), **times), Path())
    assert context().started == "2026-11-30T23:59:00+00:00"
    assert context().ended == "2026-12-01T11:00:07+00:00"
