from dataclasses import replace

import pytest
import torch

from measuring.precision import autocast, loss_scaler
from runs import RECIPE

CPU = torch.device("cpu")


@pytest.mark.parametrize(
    ("precision", "dtype"), [("default", torch.float32), ("ieee_fp32", torch.float32), ("bf16", torch.bfloat16)]
)
def test_a_product_has_the_precision_that_was_asked_for(precision, dtype):
    with autocast(replace(RECIPE, precision=precision), CPU):
        assert torch.mm(torch.ones(2, 2), torch.ones(2, 2)).dtype == dtype


@pytest.mark.parametrize(("precision", "scales"), [("default", False), ("bf16", False), ("fp16", True)])
def test_only_fp16_scales_its_loss(precision, scales):
    assert loss_scaler(replace(RECIPE, precision=precision), CPU).is_enabled() == scales
