import io
import json

import pytest
import torch

from measuring import devices, probe


@pytest.fixture
def asked(monkeypatch, capsys):
    """A function that asks the probe about models and returns its answer."""

    def ask(models):
        monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(models)))
        probe.main()
        return json.loads(capsys.readouterr().out)

    return ask


def test_without_torch_the_answer_is_null(asked, monkeypatch):
    monkeypatch.setattr(probe.importlib.util, "find_spec", lambda name: None)
    assert asked({}) is None


def test_a_machine_without_accelerator_has_none_and_good_models_have_no_error(asked, monkeypatch):
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda: None)
    assert asked({"small": {"builder": "simple_cnn", "num_classes": 10}}) == {"accelerators": [], "model_errors": {}}


def test_a_model_that_cannot_be_built_has_a_reason(asked, monkeypatch):
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda: None)
    errors = asked({"small": {"builder": "resnet81"}})["model_errors"]
    assert list(errors) == ["small"] and errors["small"]


def test_an_accelerator_without_a_working_kernel_is_named_with_the_reason(monkeypatch):
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda: torch.device("cuda"))
    monkeypatch.setattr(devices, "run_kernel", lambda device: "no kernel image")
    assert probe.find_accelerators() == [{"type": "cuda", "name": None, "error": "no kernel image"}]
