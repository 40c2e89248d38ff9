from dataclasses import replace

import pytest
import torch

from measuring.numerics import set_precision
from measuring.refusal import RefusedError
from runs import RECIPE


def test_a_cpu_has_no_tf32():
    numerics = set_precision(RECIPE, torch.device("cpu"))
    assert (numerics.precision, numerics.matmul_tf32, numerics.convolution_tf32) == ("default", None, None)


@pytest.mark.gpu
def test_a_variable_that_overrules_torch_is_refused(accelerator, monkeypatch):
    if accelerator.type != "cuda":
        pytest.skip("only CUDA devices have TF32")
    monkeypatch.setenv("NVIDIA_TF32_OVERRIDE", "0")
    with pytest.raises(RefusedError, match="NVIDIA_TF32_OVERRIDE=0 overrules the recipe's arithmetic: unset it"):
        set_precision(RECIPE, accelerator)


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
