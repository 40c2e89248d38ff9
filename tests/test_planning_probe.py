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
    with pytest.raises(UserError, match="no such thing"):
        check_models(found(resnet18="no such thing"))
    check_models(found())


def test_the_probe_names_the_models_that_cannot_be_trained():
    models = {"good": {"builder": "resnet18", "num_classes": 10}, "typo": {"builder": "resnet81"}}
    errors = probe(models)["model_errors"]
    assert list(errors) == ["typo"]
    assert errors["typo"].startswith("config.models.typo.builder is 'resnet81', expected")


def test_cores_that_are_too_few_for_a_device_are_announced():
    devices = {"cpu": {"threads": 8}, "cuda": {"threads": 2}}
    (line,) = scarce_threads(devices, ["cpu", "cuda"], cores=4)
    assert line.startswith("config.devices.cpu.threads is 8, 8 here, but --cores grants 4")
    assert scarce_threads(devices, ["cpu"], cores=None) == []
