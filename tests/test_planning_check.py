import math
from datetime import date

import pytest

from configs import DEFAULT, changed, merged
from lineage.job import UserError
from planning.check import check_config


@pytest.mark.parametrize("overlay", ["paper.yaml", "smoke.yaml"])
def test_the_configurations_that_we_ship_are_accepted(overlay):
    check_config(DEFAULT)
    check_config(merged(overlay))


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        (
            "recipes.paper.batch_size",
            0,
            "config.recipes.paper.batch_size is 0, expected a whole number of images, at least 1.",
        ),
        ("recipes.paper.batch_size", 128.0, "config.recipes.paper.batch_size is 128.0, expected a whole number"),
        ("recipes.paper.batch_size", True, "config.recipes.paper.batch_size is True, expected a whole number"),
        (
            "recipes.paper.learning_rate",
            "1e-3",
            "learning_rate is '1e-3', expected a number above 0. YAML reads it as a text",
        ),
        (
            "recipes.paper.learning_rate",
            math.nan,
            "config.recipes.paper.learning_rate is nan, expected a finite number.",
        ),
        ("recipes.paper.epoch", 10, "config.recipes.paper.epoch is 10, but there is no such key, expected one of"),
        ("recipes.paper.epoch", 10, "did you mean epochs?"),
        ("recipes.paper.dataset", "cifar100", "names 'cifar100', which `datasets` does not define, expected one of"),
        ("recipes.paper.extends", "papper", "names 'papper', which `recipes` does not define, expected one of"),
        (
            "devices.cpu.budget_s",
            -5,
            "config.devices.cpu.budget_s is -5, expected null or a number of seconds above 0.",
        ),
        ("devices.cuda.gpus", 0, "config.devices.cuda.gpus is 0, expected 1: a device of type cuda holds a GPU."),
        (
            "datasets.cifar10.type",
            "cifar100",
            "config.datasets.cifar10.type is 'cifar100', expected cifar10 or synthetic.",
        ),
        (
            "models.resnet18.num_classes",
            date(2026, 1, 1),
            "num_classes is datetime.date(2026, 1, 1), expected a number",
        ),
        ("quiet.max_steal_share", 2, "config.quiet.max_steal_share is 2, expected a number from 0 to 1."),
        ("quiet.max_pressure_share", "no", "max_pressure_share is 'no', expected null or a number from 0 to 1."),
        ("quiet.gpu_throttle_reasons", ["heat"], "is 'heat', expected a reason that config/README.md lists."),
        ("devices.cpu.threads", "4", "YAML reads it as a text: write 4, without quotes."),
        ("devices.cpu.type", "gpu", "config.devices.cpu.type is 'gpu', expected cpu, cuda, xpu or mps."),
        (
            "devices.cpu.threads",
            "all",
            "config.devices.cpu.threads is 'all', expected auto or a whole number of threads",
        ),
        ("study.models", [], "config.study.models is [], expected a list of one or more different names."),
        (
            "study.models",
            ["resnet_18"],
            "config.study.models names 'resnet_18', which `models` does not define, expected one of",
        ),
        ("study.models", ["resnet_18"], "did you mean resnet18?"),
        ("study.devices", "cpu", "config.study.devices is 'cpu', expected auto or a list"),
        ("study.recipes", ["papper"], "did you mean paper?"),
        ("study", None, "config.study is None, expected a mapping with the keys models"),
        ("models.resnet18", {"num_classes": 10}, "config.models.resnet18.builder is missing"),
        ("models", {"../x": {"builder": "simple_cnn"}}, "config.models is '../x', expected a name of letters"),
        ("models", {50: {"builder": "resnet50"}}, "config.models has the key 50, expected a text: put it in quotes."),
        (
            "datasets.cifar10.sources",
            ["ftp"],
            "config.datasets.cifar10.sources.0 is 'ftp', expected local, author, zenodo or npm.",
        ),
        ("datasets.cifar10.train_images", 5, "config.datasets.cifar10.train_images is 5, but there is no such key"),
        ("datasets.synthetic.test_images", 0, "config.datasets.synthetic.test_images is 0, expected a whole number"),
        ("statistics.confidence", 95, "config.statistics.confidence is 95, expected a number from 0.8 to below 1."),
        ("statistics.confidence", 0.5, "config.statistics.confidence is 0.5, expected a number from 0.8 to below 1."),
        ("breakdown.steps", 0, "config.breakdown.steps is 0, expected a whole number of steps, at least 1."),
        ("figures.dpi", "300", "config.figures.dpi is '300', expected a whole number of dots per inch"),
    ],
)
def test_a_wrong_value_gives_one_sentence_with_key_value_and_expectation(path, value, sentence):
    with pytest.raises(UserError) as caught:
        check_config(changed(path, value))
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_key_is_named_and_not_filled_in():
    config = changed("study.repeats", 1)
    del config["study"]["repeats"]
    with pytest.raises(UserError, match=r"config\.study\.repeats is missing"):
        check_config(config)
