import pytest

import planning.probe
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


def test_cores_that_are_too_few_for_a_device_are_announced(monkeypatch):
    monkeypatch.setattr(planning.probe, "available_cpus", lambda: 16)
    devices = {"cpu": {"threads": 8}, "cuda": {"threads": 2}}
    (line,) = scarce_threads(devices, ["cpu", "cuda"], cores=4)
    assert line == (
        "config.devices.cpu.threads is 8, but --cores grants 4 of the 16 CPUs here: use --cores 8 or --cores all, "
        "or its runs will be refused."
    )
    assert scarce_threads(devices, ["cpu"], cores=None) == []


def test_a_machine_that_is_too_small_for_a_device_is_announced_with_what_it_has(monkeypatch):
    monkeypatch.setattr(planning.probe, "available_cpus", lambda: 2)
    (line,) = scarce_threads({"cpu": {"threads": 8}}, ["cpu"], cores=2)
    assert line.startswith("config.devices.cpu.threads is 8, but this process may use 2 CPUs only: write 2 or less")
    assert scarce_threads({"cpu": {"threads": 2}}, ["cpu"], cores=2) == []
