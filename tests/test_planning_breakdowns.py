import pytest

from configs import DEFAULT, changed, merged
from planning.breakdowns import SCRIPTS, breakdown_code, breakdown_key, breakdown_settings, plan_breakdowns
from planning.study import measuring_code, plan_runs, run_key, run_settings


def key(config, model="resnet18", device="cpu"):
    return breakdown_key(breakdown_settings(config, "paper", model, device))


def test_every_run_has_its_pass_with_a_path_and_key_of_its_own():
    config = merged("paper.yaml")
    runs, passes = plan_runs(config, ["cpu", "cuda"]), plan_breakdowns(config, plan_runs(config, ["cpu", "cuda"]))
    assert len(passes) == len({each.stem for each in passes}) == len(runs) == 30
    assert passes[0].stem == f"breakdown/paper/simple_cnn/cpu/{passes[0].key}/1"
    assert not {each.key for each in passes} & {run.key for run in runs}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("breakdown.steps", 7),
        ("breakdown.warm_up_steps", 0),
        ("recipes.paper.batch_size", 64),
        ("models.resnet18.num_classes", 10),
        ("devices.cpu.threads", 1),
    ],
)
def test_what_a_pass_depends_on_changes_its_key(path, value):
    assert key(changed(path, value)) != key(DEFAULT)


@pytest.mark.parametrize(("path", "value"), [("devices.cpu.budget_s", None), ("study.repeats", 5)])
def test_a_budget_and_the_number_of_repeats_leave_its_key(path, value):
    assert key(changed(path, value)) == key(DEFAULT)


def test_the_breakdown_settings_are_not_in_the_key_of_a_run():
    settings = [run_settings(each, "paper", "resnet18", "cpu") for each in (DEFAULT, changed("breakdown.steps", 7))]
    assert run_key(settings[0]) == run_key(settings[1])


def test_the_code_of_the_pass_is_in_its_own_key_and_not_in_that_of_a_run(monkeypatch):
    hashed = []

    def remember(paths):
        hashed.append({path.relative_to(SCRIPTS).as_posix() for path in paths})
        return "0" * 64

    monkeypatch.setattr("planning.breakdowns.hash_files", remember)
    monkeypatch.setattr("planning.study.hash_files", remember)
    breakdown_code.__wrapped__("resnet18")
    measuring_code.__wrapped__("resnet18")
    of_pass, of_run = hashed
    assert {"break_down.py", "measuring/breakdown/parts.py", "measuring/data.py"} <= of_pass
    assert "measuring/models/torchvision_models.py" in of_pass
    assert "measuring/models/simple_cnn.py" not in of_pass
    assert not any("breakdown" in path for path in of_run)
