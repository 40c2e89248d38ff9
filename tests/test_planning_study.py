import pytest

from configs import DEFAULT, changed, merged
from measuring.models import FOLDER
from planning import study
from planning.study import (
    content_settings,
    data_stem,
    dataset_settings,
    measuring_code,
    plan_runs,
    run_key,
    run_settings,
)


def key(config, model="resnet18", device="cpu", recipe="paper"):
    return run_key(run_settings(config, recipe, model, device))


def test_every_combination_is_planned_once_for_each_repeat():
    runs = plan_runs(merged("paper.yaml"), ["cpu", "cuda"])
    assert len(runs) == 3 * 2 * 5
    assert len({run.stem for run in runs}) == 30
    assert [run.repeat for run in runs[:5]] == [1, 2, 3, 4, 5]
    assert runs[5].device == "cuda" and runs[5].gpus == 1


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("recipes.paper.batch_size", 64),
        ("models.resnet18.num_classes", 10),
        ("devices.cpu.threads", 1),
        ("devices.cpu.budget_s", None),
        ("study.seed", 1),
    ],
)
def test_what_a_record_depends_on_changes_its_key(path, value):
    assert key(changed(path, value)) != key(DEFAULT)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("recipes.other", {"extends": "paper", "epochs": 1}),
        ("models.resnet50.num_classes", 10),
        ("devices.cuda.threads", 1),
        ("study.repeats", 7),
        ("study.models", ["resnet18"]),
        ("datasets.cifar10.timeout_s", 1),
        ("figures.dpi", 100),
        ("statistics.confidence", 0.9),
    ],
)
def test_what_it_does_not_depend_on_leaves_its_key(path, value):
    assert key(changed(path, value)) == key(DEFAULT)


def test_the_overlays_never_share_a_record():
    default, paper = (key(config) for config in (DEFAULT, merged("paper.yaml")))
    assert default != paper


def test_a_new_builder_file_changes_the_key_of_its_own_models_only(monkeypatch, tmp_path):
    before = measuring_code.__wrapped__("resnet18"), measuring_code.__wrapped__("simple_cnn")
    changed_file = tmp_path / "simple_cnn.py"
    changed_file.write_text("HIDDEN = 1\n")
    monkeypatch.setattr(
        study, "model_file", lambda name: changed_file if name == "simple_cnn" else FOLDER / "torchvision_models.py"
    )
    assert measuring_code.__wrapped__("resnet18") == before[0]
    assert measuring_code.__wrapped__("simple_cnn") != before[1]


def test_data_of_another_content_under_the_same_name_has_another_path():
    tiny = {"type": "synthetic", "train_images": 100, "test_images": 10}
    first, second = (data_stem(dataset_settings("tiny", each)) for each in (tiny, tiny | {"train_images": 200}))
    assert first.startswith("data/tiny/") and second.startswith("data/tiny/") and first != second


def test_where_data_come_from_does_not_change_their_path():
    mine = DEFAULT["datasets"]["cifar10"] | {"local_path": "/mine", "timeout_s": 1}
    assert data_stem(dataset_settings("cifar10", mine)) == data_stem(
        dataset_settings("cifar10", DEFAULT["datasets"]["cifar10"])
    )


def test_the_synthetic_images_are_identified_by_their_number():
    smaller = changed("datasets.synthetic.train_images", 100)
    for config in (smaller, DEFAULT):
        config["recipes"]["made"] = {"extends": "paper", "dataset": "synthetic"}
    assert key(smaller, recipe="made") != key(DEFAULT, recipe="made")
    del DEFAULT["recipes"]["made"]


@pytest.mark.parametrize("path", ["devices.cpu.budget_s", "recipes.paper.lr_gamma"])
def test_the_same_number_written_differently_keeps_the_key(path):
    assert key(changed(path, 1)) == key(changed(path, 1.0))


def test_every_file_that_shapes_a_record_counts(tmp_path):
    hashed = []

    def remember(paths):
        hashed.extend(path.name for path in paths)
        return "0" * 64

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study, "hash_files", remember)
        measuring_code.__wrapped__("resnet18")
    assert {"train.py", "training.py", "timing.py", "data.py", "torchvision_models.py"} <= set(hashed)
    assert "simple_cnn.py" not in hashed


def test_how_a_dataset_is_fetched_is_no_parameter_of_the_job_and_its_content_is():
    mine = DEFAULT["datasets"]["cifar10"] | {"local_path": "/home/me/cifar", "sources": ["npm"], "timeout_s": 1}
    assert content_settings("cifar10", mine) == '{"name": "cifar10", "type": "cifar10"}'
    made = DEFAULT["datasets"]["synthetic"]
    assert content_settings("made", made) != content_settings("made", made | {"train_images": 100})
