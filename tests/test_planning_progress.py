import json

from planning.progress import study_progress, write_plan
from planning.study import PlannedRun


def run(device, repeat):
    return PlannedRun(
        recipe="paper",
        model="m",
        device=device,
        key="0123456789",
        repeat=repeat,
        gpus=0,
        data="data/cifar10/0123456789",
    )


def record(results, planned, seconds):
    path = results / f"{planned.stem}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        json.dumps({"started": "2026-01-01T00:00:00+00:00", "ended": f"2026-01-01T00:{seconds // 60:02}:00+00:00"})
    )


def test_the_rest_takes_as_long_as_recorded_runs_of_the_same_device(tmp_path):
    runs = [run("cpu", 1), run("cpu", 2), run("cuda", 1), run("cuda", 2)]
    write_plan(runs, tmp_path / "logs" / "plan.json")
    record(tmp_path, runs[0], 600)
    record(tmp_path, runs[2], 60)
    line = study_progress(tmp_path / "logs" / "plan.json", tmp_path)
    assert line == "study: 2 of 4 runs done, about 11 min for the rest"


def test_a_finished_study_has_no_rest_and_no_plan_gives_no_line(tmp_path):
    write_plan([run("cpu", 1)], tmp_path / "plan.json")
    record(tmp_path, run("cpu", 1), 60)
    assert study_progress(tmp_path / "plan.json", tmp_path) == "study: 1 of 1 runs done"
    assert study_progress(tmp_path / "absent.json", tmp_path) is None


def test_a_clock_that_was_set_back_during_a_run_gives_no_negative_rest(tmp_path):
    write_plan([run("cpu", 1), run("cpu", 2)], tmp_path / "plan.json")
    record(tmp_path, run("cpu", 1), 60)
    path = tmp_path / f"{run('cpu', 1).stem}.json"
    path.write_text(path.read_text().replace("2026-01-01T00:00:00", "2026-01-01T01:00:00"))
    assert study_progress(tmp_path / "plan.json", tmp_path) == "study: 1 of 2 runs done, about 0 min for the rest"
