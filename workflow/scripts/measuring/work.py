"""How much arithmetic a model asks for."""

from dataclasses import dataclass

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
