import json

import pytest

from planning.breakdowns import PlannedBreakdown
from planning.endings import endings
from planning.study import PlannedRun


def planned(kind, repeat):
    return kind(recipe="paper", model="cnn", device="cpu", key="0123456789", repeat=repeat, gpus=0, data="data/c/0")


@pytest.fixture
def study(tmp_path):
    """A function that writes a record for each status, None for no record, and says what the end of the study says."""

    def said(*statuses, kind=PlannedRun, overlays=()):
        runs = [planned(kind, repeat) for repeat in range(1, len(statuses) + 1)]
        for run, status in zip(runs, statuses, strict=True):
            path = tmp_path / f"{run.stem}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            if status is not None:
                path.write_text(json.dumps({"status": status}))
        return endings(runs, tmp_path, overlays)

    return said


def test_runs_that_ended_well_or_not_at_all_need_no_word(study):
    assert study("ok", "ok", None) is None


def test_runs_that_did_not_end_well_are_counted_and_named_with_what_to_do(study):
    line = study("ok", "refused", "oom", None)
    assert line.startswith("2 of 3 runs did not end well: paper/cnn/cpu #2 refused, paper/cnn/cpu #3 oom. The reasons")
    assert line.endswith("`make retry` runs them again.")


@pytest.mark.parametrize(
    ("overlays", "command"),
    [(["config/smoke.yaml"], "CONFIG=config/smoke.yaml"), (["a.yaml", "b.yaml"], "CONFIG='a.yaml b.yaml'")],
)
def test_the_command_names_the_configuration_files_of_the_study(study, overlays, command):
    assert study("oom", overlays=overlays).endswith(f"`make retry {command}` runs them again.")


def test_a_breakdown_is_named_as_one(study):
    line = study("oom", kind=PlannedBreakdown)
    assert line.startswith("1 of 1 breakdown did not end well: breakdown of paper/cnn/cpu #1 oom.")


def test_breakdowns_are_counted_apart_from_runs(tmp_path):
    endings_of = {PlannedRun: ["ok", "oom", "ok"], PlannedBreakdown: ["oom", "refused"]}
    kinds = [(kind, repeat, word) for kind, words in endings_of.items() for repeat, word in enumerate(words, 1)]
    runs = [planned(kind, repeat) for kind, repeat, _ in kinds]
    for run, (_, _, word) in zip(runs, kinds, strict=True):
        path = tmp_path / f"{run.stem}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"status": word}))
    line = endings(runs, tmp_path, [])
    assert line.startswith("1 of 3 runs and 2 of 2 breakdowns did not end well: paper/cnn/cpu #2 oom, breakdown of")
    assert endings(runs[:1] + runs[3:], tmp_path, []).startswith("2 of 2 breakdowns did not end well")


def test_many_are_counted_and_not_all_named(study):
    line = study(*["diverged"] * 9)
    assert line.startswith("9 of 9 runs did not end well") and "#5 diverged and 4 more." in line


@pytest.mark.parametrize("content", ["{", "[]", "{}", ""])
def test_a_damaged_record_is_named_as_such(study, tmp_path, content):
    study("ok")
    (tmp_path / "runs/paper/cnn/cpu/0123456789/1.json").write_text(content)
    assert "paper/cnn/cpu #1 damaged" in endings([planned(PlannedRun, 1)], tmp_path, [])
