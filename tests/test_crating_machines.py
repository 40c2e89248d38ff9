"""crating.machines: what a record says of the machine of its job."""

from pathlib import Path

import pytest

from crating.graph import Graph
from crating.jobs import jobs_of, read_history
from crating.machines import add_machine
from results_tree import DATA, FILES, RUNS, make_results


@pytest.fixture(autouse=True)
def results(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_results(tmp_path)


def machine_of(file: str) -> str:
    (job,) = [job for job in jobs_of(read_history(FILES, Path())) if job.outputs[0].file == file]
    return add_machine(Graph(), job, Path())["@id"]


def test_runs_on_one_machine_have_one_machine_whatever_its_load():
    assert len({machine_of(name) for name in sorted(RUNS) if name.endswith("csv")}) == 1


def test_a_job_without_a_record_has_its_host_alone():
    assert machine_of(DATA) != machine_of(min(RUNS))


@pytest.mark.parametrize("content", ["{", "[]", "{}", '{"machine": "x"}', "\xff"])
def test_a_damaged_record_leaves_its_host_alone(content):
    first = min(RUNS)
    Path(first.replace("csv", "json")).write_text(content, encoding="latin-1")
    assert machine_of(first) == machine_of(DATA)
