import math
from datetime import date

import pytest

from configs import DEFAULT, changed, merged
from lineage.job import UserError
from planning.check import check_config

NAME = "a name of up to 64 letters, digits, '_', '-' and '.'."
EPOCHS = "a whole number of epochs, 1 to 100000."
SECONDS = "a number of seconds above 0, at most"
SHARE = "a number from 0 to 1."
STEPS = "a whole number of steps,"

WRONG = {
    "recipes": ("a mapping with one or more named entries.", [None, [], {}, "paper"]),
    "recipes.paper": ("a mapping with the settings of a recipe.", [None, [], "tuned"]),
    "recipes.paper.dataset": (NAME, ["", 10, None, "a b"]),
    "recipes.paper.epochs": (EPOCHS, [0, -1, 1.5, 10.0, True, "ten", None, [10], {"n": 3}, 10**9]),
    "recipes.paper.batch_size": ("a whole number of images, 1 to 1000000.", [0, 128.0, True, "128", 10**7]),
    "recipes.paper.optimizer": ("adam, adamw or sgd", ["Adam", "adma", "lamb", None, ["adam"]]),
    "recipes.paper.learning_rate": ("a number above 0, at most 1000.", [0, -0.1, True, "1e-3", "1,5", "nan", 10**400]),
    "recipes.paper.lr_step_size": (EPOCHS, [0, 2.5, "5"]),
    "recipes.paper.lr_gamma": ("a number above 0, at most 1.", [0, 1.1, "0,1", None]),
    "recipes.paper.crop_padding": ("a whole number of pixels, 0 to 16.", [-1, 17, False]),
    "recipes.paper.horizontal_flip": ("true or false.", [1, 0, "yes", None]),
    "recipes.paper.loader_workers": ("a whole number of processes, 0 to 256.", [-2, True, 300, "auto"]),
    "recipes.paper.precision": ("default, ieee_fp32, bf16 or fp16", ["fp64", "ieee-fp32", 32]),
    "devices.cpu": (
        "a mapping with the keys type, gpus, threads, budget_s and target_half_width.",
        ["cpu", None, ["cpu"]],
    ),
    "devices.cpu.type": ("cpu, cuda, xpu or mps", ["gpu", "CPU", None]),
    "devices.cpu.gpus": ("0 or 1.", [2, -1, False, "0"]),
    "devices.cpu.threads": ("auto or a whole number of threads, 1 to 4096.", [0, 2.0, None, "4", "all", 10**5]),
    "devices.cpu.budget_s": (f"null or {SECONDS} 100000000.", [0, -5, True, "auto", "100s", "1,5", 10**9]),
    "study": ("a mapping with the keys models, devices,", [None, [], "paper"]),
    "study.models": ("a list of one or more different names.", [[], None, "resnet18", ["resnet18", "resnet18"]]),
    "study.devices": ("auto or a list of one or more different names", [[], "Auto", "cpu", ["cpu", "cpu"], [["cpu"]]]),
    "study.repeats": ("a whole number of processes, 1 to 1000.", [0, "5", 1e3, 10**6, None]),
    "study.seed": ("a whole number, 0 to 2147483647.", [-1, 2**31, 0.5, "today"]),
    "study.only_existing": ("true or false.", ["true", 1]),
    "models.resnet18": ("a mapping with `builder` and its arguments.", ["resnet18", None]),
    "models.resnet18.builder": ("simple_cnn or the name of a torchvision classification builder.", [None, "", 18]),
    "models.resnet18.num_classes": ("a whole number of classes, 10 to 1000000.", ["10", 1000.0, True, 3, -1, 10**12]),
    "models.resnet18.image_size": ("32, the pixels of a side of the images.", [224, "32"]),
    "models.resnet18.stem": ("imagenet or cifar", ["cifr", None]),
    "datasets.cifar10.type": ("cifar10 or synthetic", ["cifar100", None]),
    "datasets.cifar10.local_path": ("null or the path of a folder or an archive.", ["", 3, ["data"]]),
    "datasets.cifar10.sources": ("a list of different sources out of local,", [[], "npm", ["npm", "npm"], None]),
    "datasets.cifar10.timeout_s": (f"{SECONDS} 1000000.", [0, "5min", None]),
    "datasets.synthetic.train_images": ("a whole number of images, 10 to 10000000.", [9, 5e4, "all"]),
    "breakdown": ("a mapping with the keys warm_up_steps and steps.", [None, 20]),
    "breakdown.warm_up_steps": (f"{STEPS} 0 to 100000.", [-1, 0.5]),
    "breakdown.steps": (f"{STEPS} 1 to 100000.", [0, None, 10**6]),
    "quiet.max_other_cpu_share": (SHARE, [1.5, -0.1, "5%", None]),
    "quiet.max_pressure_share": (f"null or {SHARE}", ["no", 2]),
    "quiet.max_switches_per_s": ("null or a number from 0 to 1000000.", [-1, "many"]),
    "quiet.max_gpu_other_processes": ("a whole number, 0 to 1000.", [0.5, -1]),
    "quiet.gpu_throttle_reasons": ("a list of different reasons that config/README.md lists.", [None, "hw_slowdown"]),
    "cost": ("a mapping with the keys currency and price_per_hour.", [None, 3]),
    "cost.currency": ("null or three capital letters such as USD.", ["$", "usd", 1]),
    "cost.price_per_hour": ("a mapping from device names to prices.", [None, 2.5]),
    "cost.price_per_hour.cpu": ("null or a price per hour from 0 to 1000000.", [-1, "2,50", True]),
    "statistics.confidence": ("a number from 0.8 to below 1.", [95, 0.5, 1, "0.95"]),
    "statistics.min_claim_repeats": ("a whole number of processes, 2 to 1000.", [1, 5.0]),
    "statistics.parity_margin": ("a number between 0 and 1.", [0, 1, "1 %"]),
    "figures.width_inches": ("a number of inches, 2 to 20.", ["3.4in", 1, 100]),
    "crate.agent": ("null or a name.", ["", 5]),
    "crate.agent_url": ("null or a web address that begins with https:// or http://.", ["0000-0002", "https://a b", 5]),
    "crate.license": ("null or a web address that begins with https:// or http://.", ["MIT", "https://a\n", True]),
    "figures.dpi": ("a whole number of dots per inch, 50 to 1200.", [10, "300", 10**5]),
}
SHOWN = {None: "null", True: "true", False: "false"}


def refusal(config):
    with pytest.raises(UserError) as caught:
        check_config(config)
    sentence = str(caught.value)
    assert "\n" not in sentence and len(sentence) < 400
    return sentence


@pytest.mark.parametrize("overlay", ["paper.yaml", "smoke.yaml"])
def test_the_configurations_that_we_ship_are_accepted(overlay):
    check_config(DEFAULT)
    check_config(merged(overlay))


@pytest.mark.parametrize(("path", "value"), [(path, value) for path, (_, values) in WRONG.items() for value in values])
def test_a_wrong_value_gives_one_sentence_with_key_value_and_expectation(path, value):
    shown = SHOWN[value] if isinstance(value, bool | None) else repr(value)[:97]
    sentence = refusal(changed(path, value))
    assert sentence.startswith(f"config.{path} is {shown}")
    assert f", expected {WRONG[path][0]}" in sentence


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("recipes.paper.learning_rate", "1e-3", "YAML reads it as a text: write 0.001, without quotes."),
        ("devices.cpu.budget_s", "1,5", "YAML reads it as a text: write 1.5, without quotes."),
        ("devices.cpu.threads", "4", "YAML reads it as a text: write 4, without quotes."),
        (
            "devices.cpu",
            {"type": "cpu", "budget_s": 1, 5: None},
            "has the key 5, expected a name: write a decimal point",
        ),
        ("models", {50: {"builder": "resnet50"}}, "config.models has the key 50, expected a name: put it in quotes."),
        (
            "recipes.paper.learning_rate",
            math.nan,
            "config.recipes.paper.learning_rate is nan, expected a finite number.",
        ),
        ("devices.cpu.budget_s", math.inf, "config.devices.cpu.budget_s is inf, expected a finite number."),
        ("figures.dpi", b"300", "config.figures.dpi is b'300', expected a number, text, list or mapping"),
        (
            "models.resnet18.num_classes",
            date(2026, 1, 1),
            "num_classes is 2026-01-01, which YAML reads as a date, expected a number",
        ),
        (
            "study.seed",
            date(2026, 1, 1),
            "text, list or mapping: write a number without dashes, or put a text in quotes.",
        ),
        (
            "recipes",
            {True: {}},
            "config.recipes has a key that YAML reads as true (as yes, on or true), expected a name:",
        ),
        (
            "recipes",
            {False: {}},
            "has a key that YAML reads as false (as no, off or false), expected a name: put it in",
        ),
        (
            "recipes",
            {date(2026, 1, 1): {}},
            "config.recipes has the key 2026-01-01, expected a name: put it in quotes.",
        ),
        ("recipes.paper.optimizer", "Adam", "did you mean adam?"),
        ("recipes.paper.precision", "ieee-fp32", "did you mean ieee_fp32?"),
        ("devices.cpu.type", "gpu", "did you mean cuda?"),
        ("study.devices", ["gpu"], "does not define, expected one of cpu, cuda, xpu, mps; did you mean cuda?"),
        (
            "study.devices",
            ["auto"],
            "names 'auto', which `devices` does not define, expected one of cpu, cuda, xpu, mps.",
        ),
        ("study.models", ["resnet_18"], "config.study.models names 'resnet_18', which `models` does not define"),
        ("study.models", ["resnet_18"], "did you mean resnet18?"),
        ("study.models", [18], f"config.study.models.0 is 18, expected {NAME}"),
        ("study.recipes", ["papper"], "did you mean paper?"),
        ("recipes.paper.dataset", "cifar100", "names 'cifar100', which `datasets` does not define, expected one of"),
        ("recipes.paper.extends", "papper", "names 'papper', which `recipes` does not define, expected one of"),
        ("recipes.paper.extends", "paper", "config.recipes.paper.extends runs in a circle (paper -> paper): break it."),
        ("recipes.paper.epoch", 10, "config.recipes.paper.epoch is 10, but there is no such key, expected one of"),
        ("recipes.paper.epoch", 10, "did you mean epochs?"),
        (
            "devices.cpu.thread",
            2,
            "there is no such key, expected one of type, gpus, threads, budget_s, target_half_width; did you mean",
        ),
        ("study.model", ["resnet18"], "there is no such key, expected one of models, devices, recipes"),
        ("figure", {"dpi": 300}, "config.figure is {'dpi': 300}, but there is no such key"),
        ("datasets.cifar10.train_images", 5, "config.datasets.cifar10.train_images is 5, but there is no such key"),
        ("datasets.synthetic.seed", 1, "there is no such key, expected one of type, train_images, test_images."),
        ("datasets.mine", {"type": "mnist"}, "config.datasets.mine.type is 'mnist', expected cifar10 or synthetic."),
        ("datasets.mine", {}, "config.datasets.mine.type is missing: add it"),
        ("datasets.mine", {"type": "cifar10"}, "config.datasets.mine.local_path is missing: add it"),
        ("datasets.cifar10.sources", ["ftp"], "sources.0 is 'ftp', expected local, author, zenodo or npm."),
        ("devices.cuda.gpus", 0, "config.devices.cuda.gpus is 0, expected 1: a device of type cuda holds a GPU."),
        ("models.resnet18", {"num_classes": 10}, "config.models.resnet18.builder is missing"),
        ("models", {"../x": {"builder": "simple_cnn"}}, f"config.models defines '../x', expected {NAME}"),
        ("recipes", {"x\n": {}}, f"config.recipes defines 'x\\n', expected {NAME}"),
        ("recipes", {65 * "a": {}}, f"config.recipes defines '{65 * 'a'}', expected {NAME}"),
        ("quiet.gpu_throttle_reasons", ["heat"], "is 'heat', expected a reason that config/README.md lists."),
        ("quiet.gpu_throttle_reasons", ["hw_slow_down"], "did you mean hw_slowdown?"),
    ],
)
def test_a_mistake_is_answered_with_what_was_probably_meant(path, value, sentence):
    assert sentence in refusal(changed(path, value))


def test_recipes_that_extend_each_other_are_named():
    config = changed("recipes.paper.extends", "other")
    config["recipes"]["other"] = {"extends": "paper"}
    assert "runs in a circle (paper -> other -> paper): break it." in refusal(config)


@pytest.mark.parametrize("path", ["study.repeats", "figures.dpi", "recipes.paper.epochs", "devices.cpu.budget_s"])
def test_a_missing_key_is_named_and_not_filled_in(path):
    *sections, key = path.split(".")
    section = config = changed(path, 1)
    for name in sections:
        section = section[name]
    del section[key]
    assert f"config.{path} is missing" in refusal(config)


def test_prices_need_their_currency_and_a_device_that_exists():
    assert "config.cost.currency is null, but price_per_hour has prices" in refusal(
        changed("cost.price_per_hour.cpu", 1.5)
    )
    assert "names 'gpu', which `devices` does not define" in refusal(changed("cost.price_per_hour.gpu", None))


def test_a_long_value_is_cut():
    assert f"'{'x' * 96}..., expected" in refusal(changed("study.seed", "x" * 500))
