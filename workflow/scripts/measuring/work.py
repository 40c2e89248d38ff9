"""How much arithmetic a model asks for."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from measuring.models import build_model
from measuring.settings import ModelSettings

SAMPLES = 2  # batch normalisation cannot train on a single image of 1 x 1 pixel


@dataclass(frozen=True, kw_only=True)
class Work:
    """Trainable parameters, and floating-point operations per image (1 multiply-add = 2 FLOP)."""

    parameters: int
    forward_flop_per_sample: float
    training_flop_per_sample: float
    fewest_flop_per_sample: float
    """What no algorithm of a library stays below in training: a product for each output and input channel of a
    convolution, however large its kernel, and all of a matrix product.

    Of the 9 products of a 3 x 3 kernel Winograd's F(4x4, 3x3) leaves 2.25 (Lavin and Gray 2016), F(6x6, 3x3) 1.78, and
    larger tiles tend towards 1; which of them a library has may change with its version. In an image of 1 x 1 pixel it
    is 1 even in direct convolution, for all other products meet padding.
    """


def count_work(model: ModelSettings) -> Work:
    """Count on the meta device, for images of 32 x 32 pixels: matrix products and convolutions, as torch counts them.

    Training is forward plus backward. Torch counts the backward pass of grouped convolutions wrongly
    (pytorch/pytorch#183405); a model that has any gets three times its forward pass instead.
    """
    with torch.device("meta"):
        network = build_model(model).train()
        images = torch.empty(SAMPLES, 3, 32, 32)
    with FlopCounterMode(display=False, custom_mapping=FEWEST) as fewest, FlopCounterMode(display=False) as direct:
        output = network(images)
        forward = direct.get_total_flops() / SAMPLES
        output.sum().backward()
        training = direct.get_total_flops() / SAMPLES
    grouped = any(isinstance(module, nn.Conv2d) and module.groups > 1 for module in network.modules())
    return Work(
        parameters=sum(weight.numel() for weight in network.parameters() if weight.requires_grad),
        forward_flop_per_sample=forward,
        training_flop_per_sample=3 * forward if grouped else training,
        fewest_flop_per_sample=fewest.get_total_flops() / SAMPLES,
    )


def _fewest_forward(
    images: Sequence[int],
    weight: Sequence[int],
    _bias: Any,
    _stride: Any,
    _padding: Any,
    _dilation: Any,
    transposed: bool,
    *_: Any,
    out_shape: Sequence[int],
) -> int:
    return 2 * math.prod(images if transposed else out_shape) * weight[1]


def _fewest_backward(gradient: Sequence[int], *forward: Any, out_shape: Sequence[Any]) -> int:
    wanted = sum(shape is not None for shape in out_shape[:2])  # the gradients of images and weight
    return wanted * _fewest_forward(*forward, out_shape=gradient)


FEWEST = {torch.ops.aten.convolution: _fewest_forward, torch.ops.aten.convolution_backward: _fewest_backward}
