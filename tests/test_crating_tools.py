"""crating.tools: what counts as the same tool."""

from dataclasses import replace
from pathlib import Path

import pytest

from crate_entities import by_identifier
from crating.graph import Graph
from crating.jobs import Job, jobs_of, read_history
from crating.tools import add_software, step_id, tool_id
from results_tree import FILES, make_results


@pytest.fixture
def runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_results(tmp_path)
    return [job for job in jobs_of(read_history(FILES, Path())) if job.made.rule == "train"]


def with_sidecar(job: Job, **changes: object) -> Job:
    return replace(job, made=replace(job.made, **changes))


def test_jobs_of_one_rule_with_one_code_and_software_ran_one_tool(runs):
    assert len(runs) == 4
    (tool,) = {tool_id(job) for job in runs}
    assert tool.startswith("#train-")
    assert {step_id(job) for job in runs} == {f"{tool}/step"}


@pytest.mark.parametrize(
    "changes", [{"rule": "evaluate"}, {"code_sha256": "0" * 64}, {"software": {"python": "3.12.1"}}]
)
def test_another_rule_code_or_software_is_another_tool(runs, changes):
    assert tool_id(with_sidecar(runs[0], **changes)) != tool_id(runs[0])


@pytest.mark.parametrize("changes", [{"host": "elsewhere"}, {"started": "2026-12-02T10:00:00+00:00"}, {"params": {}}])
def test_another_host_time_or_setting_is_the_same_tool(runs, changes):
    assert tool_id(with_sidecar(runs[0], **changes)) == tool_id(runs[0])


def test_two_versions_of_a_package_are_two_entities():
    graph = Graph()
    for version in ("2.14.1", "2.11.0", "2.14.1"):
        add_software(graph, "torch", version)
    found = [entity for name, entity in by_identifier(graph.text()).items() if name.startswith("#software-torch")]
    assert [(entity["name"], entity["softwareVersion"]) for entity in found] == [
        ("torch", "2.11.0"),
        ("torch", "2.14.1"),
    ]
