from dataclasses import replace

import pytest
import torch

from measuring.knobs import Knobs
from measuring.loops import build_loop, place_model
from measuring.models import build_model
from measuring.plain_loop import PlainLoop
from measuring.resident_loop import ResidentLoop
from runs import RECIPE, SETTINGS, made_images

CPU = torch.device("cpu")


def loop_of(**changes):
    recipe = replace(RECIPE, **changes)
    model, knobs = build_model(SETTINGS.model), Knobs(recipe, CPU)
    return build_loop(model=model, images=made_images(), recipe=recipe, device=CPU, seed=7, knobs=knobs)


@pytest.mark.parametrize(("pipeline", "kind"), [("loader", PlainLoop), ("resident", ResidentLoop)])
def test_the_input_pipeline_decides_which_loop_trains(pipeline, kind):
    loop = loop_of(input_pipeline=pipeline)
    assert type(loop) is kind
    assert loop.steps == 11  # of 105 images, ten a step


@pytest.mark.parametrize(("asked", "last"), [("contiguous", False), ("channels_last", True)])
def test_the_weights_lie_as_the_recipe_asks(asked, last):
    model = place_model(build_model(SETTINGS.model), CPU, Knobs(replace(RECIPE, memory_format=asked), CPU))
    assert model[3].weight.is_contiguous(memory_format=torch.channels_last) == last
