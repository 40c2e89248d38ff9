"""How much arithmetic a model asks for."""

import math
from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from measuring.models import build_model
from measuring.settings import ModelSettings

FEWEST_TAPS = 2.25
"""Products that a fast convolution leaves for each output and input channel, however large the kernel is. Winograd's
F(4x4, 3x3) does 16 outputs with 36 (Lavin and Gray 2016); Fourier transforms leave about as many."""
SAMPLES = 2  # batch normalisation cannot train on a single image of 1 x 1 pixel


@dataclass(frozen=True, kw_only=True)
class Work:
    """Trainable parameters, and floating-point operations per image (1 multiply-add = 2 FLOP)."""

    parameters: int
    forward_flop_per_sample: float
    training_flop_per_sample: float


def count_work(model: ModelSettings) -> Work:
    """Count on the meta device, for images of 32 x 32 pixels: matrix products and convolutions, as torch counts them.

    Training is forward plus backward. Torch counts the backward pass of grouped convolutions wrongly
    (pytorch/pytorch#183405); a model that has any gets three times its forward pass instead.
    """
    with torch.device("meta"):
        network = build_model(model).train()
        images = torch.empty(SAMPLES, 3, 32, 32)
    with FlopCounterMode(display=False) as counter:
        output = network(images)
        forward = counter.get_total_flops() / SAMPLES
        output.sum().backward()
        training = counter.get_total_flops() / SAMPLES
    grouped = any(isinstance(module, nn.Conv2d) and module.groups > 1 for module in network.modules())
    return Work(
        parameters=sum(weight.numel() for weight in network.parameters() if weight.requires_grad),
        forward_flop_per_sample=forward,
        training_flop_per_sample=3 * forward if grouped else training,
    )


def fewest_flop_share(model: ModelSettings) -> float:
    """Return the share of a model's arithmetic, counted as direct convolution, that fast algorithms leave at least.

    Counted for the forward pass; the two convolutions of the backward pass have the same kernels.
    """
    direct: list[float] = []
    fewest: list[float] = []

    def count(module: nn.Module, inputs: tuple[torch.Tensor, ...], output: torch.Tensor) -> None:
        taps = math.prod(module.kernel_size) if isinstance(module, nn.Conv2d) else 1
        weights = next(module.parameters())[0].numel()
        direct.append(output.numel() * weights)
        fewest.append(direct[-1] * min(1.0, FEWEST_TAPS / taps))

    with torch.device("meta"):
        network = build_model(model).train()
        for module in network.modules():
            if isinstance(module, nn.Conv2d | nn.Linear):
                module.register_forward_hook(count)
        network(torch.empty(SAMPLES, 3, 32, 32))
    return sum(fewest) / sum(direct)
