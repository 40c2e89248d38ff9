from dataclasses import replace

import pytest
import torch

from measuring.knobs import Knobs
from runs import RECIPE

TUNED = replace(
    RECIPE,
    input_pipeline="resident",
    memory_format="channels_last",
    fused_optimizer=True,
    flush_denormals=True,
    retain_host_memory=True,
    compile="inductor",
    graph="cuda_graph",
)


def test_a_recipe_that_asks_for_nothing_has_no_knob():
    assert Knobs(RECIPE, torch.device("cpu")).describe() == {}


def test_what_a_cpu_has_not_is_left_out_with_a_reason():
    knobs = Knobs(TUNED, torch.device("cpu"))
    assert knobs.describe()["graph"] == {"active": False, "reason": "a device of type cpu has none"}
    assert knobs.active("flush_denormals") and knobs.active("fused_optimizer")
    assert not Knobs(RECIPE, torch.device("cpu")).active("fused_optimizer")  # not asked for
    assert knobs.inactive() == "graph: a device of type cpu has none"


def test_a_compiler_for_accelerators_alone_leaves_the_cpu_out():
    recipe = replace(TUNED, compile="inductor_gpu")
    assert not Knobs(recipe, torch.device("cpu")).active("compile")
    assert Knobs(recipe, torch.device("mps")).active("compile")


@pytest.mark.parametrize("name", ["mps", "xpu"])
def test_another_accelerator_has_no_cuda_graph(name):
    assert not Knobs(TUNED, torch.device(name)).active("graph")
    assert "the CPU computes nothing" in Knobs(TUNED, torch.device(name)).inactive()


def test_without_triton_nothing_is_compiled_for_a_cuda_device(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert Knobs(TUNED, torch.device("cuda")).describe()["compile"]["reason"] == "triton is not installed"
