import pytest

from configs import DEFAULT, changed
from lineage.job import UserError
from planning.probe import check_models, choose_devices, probe, scarce_threads

GPU = {"type": "cuda", "name": "Some GPU", "error": None}


def found(*accelerators, **model_errors):
    return {"accelerators": list(accelerators), "model_errors": model_errors}


def test_auto_takes_the_cpu_and_the_accelerator_that_ran_a_kernel():
    devices, line = choose_devices(DEFAULT, found(GPU))
    assert devices == ["cpu", "cuda"]
    assert line == "devices: cpu and cuda (Some GPU, ran a kernel)"


def test_auto_leaves_out_an_accelerator_that_fails_and_says_why():
    devices, line = choose_devices(DEFAULT, found({**GPU, "error": "no kernel image"}))
    assert devices == ["cpu"]
    assert "no accelerator that runs a kernel (cuda: no kernel image)" in line


def test_an_explicit_list_is_honoured_where_there_is_no_gpu():
    assert choose_devices(changed("study.devices", ["cuda"]), found())[0] == ["cuda"]
    assert choose_devices(changed("study.devices", ["cuda"]), None)[0] == ["cuda"]


def test_auto_without_torch_asks_for_a_list():
    with pytest.raises(UserError, match="list the devices by name"):
        choose_devices(DEFAULT, None)


def test_a_model_that_cannot_be_built_is_named():
    with pytest.raises(UserError, match=r"config\.models\.resnet18 cannot be built from .*: no such thing"):
        check_models(DEFAULT["models"], found(resnet18="no such thing"))


def test_the_probe_finds_what_is_wrong_with_a_builder_or_its_arguments():
    models = {
        "good": {"builder": "resnet18", "num_classes": 10, "stem": "cifar"},
        "vit": {"builder": "vit_b_16", "image_size": 32, "num_classes": 10},
        "typo": {"builder": "resnet81"},
        "argument": {"builder": "resnet18", "num_clases": 10},
        "pretrained": {"builder": "resnet18", "weights": "DEFAULT"},
        "stem": {"builder": "vgg11", "stem": "cifar"},
        "auxiliary": {"builder": "googlenet"},
        "classes": {"builder": "simple_cnn", "num_classes": 3},
    }
    errors = probe(models)["model_errors"]
    assert set(errors) == {"typo", "argument", "pretrained", "stem", "auxiliary", "classes"}
    assert "resnet81" in errors["typo"]
    assert "num_clases" in errors["argument"]
    assert "at least 10 classes" in errors["classes"]


def test_cores_that_are_too_few_for_a_device_are_announced():
    devices = {"cpu": {"threads": 8}, "cuda": {"threads": 2}}
    (line,) = scarce_threads(devices, ["cpu", "cuda"], cores=4)
    assert line.startswith("config.devices.cpu.threads is 8, 8 here, but --cores grants 4")
    assert scarce_threads(devices, ["cpu"], cores=None) == []
