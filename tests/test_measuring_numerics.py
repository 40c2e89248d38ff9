from dataclasses import replace

import pytest
import torch

from measuring.numerics import set_precision
from runs import RECIPE


def test_a_cpu_has_no_tf32():
    numerics = set_precision(RECIPE, torch.device("cpu"))
    assert (numerics.precision, numerics.matmul_tf32, numerics.convolution_tf32) == ("default", None, None)


@pytest.mark.gpu
def test_ieee_fp32_turns_tf32_off_and_the_product_becomes_exact(accelerator):
    if accelerator.type != "cuda":
        pytest.skip("only CUDA devices have TF32")
    numerics = set_precision(replace(RECIPE, precision="ieee_fp32"), accelerator)
    assert numerics.matmul_tf32 in (False, None) and numerics.convolution_tf32 in (False, None)
    image, weight = torch.randn(8, 64, 16, 16), torch.randn(64, 64, 3, 3)
    exact = torch.nn.functional.conv2d(image.double(), weight.double())
    ours = torch.nn.functional.conv2d(image.to(accelerator), weight.to(accelerator)).cpu().double()
    assert (ours - exact).norm() / exact.norm() < 1e-5
