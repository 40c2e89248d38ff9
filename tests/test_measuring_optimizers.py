from dataclasses import replace

import pytest
import torch
from torch import nn

from measuring import optimizers
from measuring.knobs import Knobs
from measuring.optimizers import build_optimizer
from runs import RECIPE

CPU = torch.device("cpu")


def built(**changes):
    recipe = replace(RECIPE, **changes)
    knobs = Knobs(recipe, CPU)
    return build_optimizer(nn.Linear(2, 2), recipe, CPU, knobs), knobs


@pytest.mark.parametrize(
    ("name", "kind"), [("adam", torch.optim.Adam), ("adamw", torch.optim.AdamW), ("sgd", torch.optim.SGD)]
)
def test_the_recipe_names_the_optimizer_and_its_rate(name, kind):
    optimizer, _ = built(optimizer=name, learning_rate=0.5)
    assert type(optimizer) is kind
    assert optimizer.param_groups[0]["lr"] == 0.5
    assert not optimizer.param_groups[0].get("fused")


def test_the_fused_kernel_is_used_where_it_is_asked_for():
    optimizer, knobs = built(fused_optimizer=True)
    assert optimizer.param_groups[0]["fused"]
    assert knobs.active("fused_optimizer")


def test_a_device_without_the_fused_kernel_gets_the_plain_one_and_a_reason(monkeypatch):
    class Unfused(torch.optim.SGD):
        def __init__(self, *arguments, fused=False, **options):
            if fused:
                raise RuntimeError("no fused kernel here")
            super().__init__(*arguments, **options)

    monkeypatch.setitem(optimizers.OPTIMIZERS, "sgd", Unfused)
    optimizer, knobs = built(optimizer="sgd", fused_optimizer=True)
    assert isinstance(optimizer, Unfused)
    assert not knobs.active("fused_optimizer")
    assert "no fused kernel here" in knobs.inactive()


@pytest.mark.gpu
def test_the_rate_of_a_captured_step_lies_on_the_device(accelerator):
    recipe = replace(RECIPE, input_pipeline="resident", graph="cuda_graph", fused_optimizer=True)
    model = nn.Linear(2, 2).to(accelerator)
    optimizer = build_optimizer(model, recipe, accelerator, Knobs(recipe, accelerator))
    assert optimizer.param_groups[0]["lr"].device.type == accelerator.type
    assert optimizer.param_groups[0]["capturable"]
