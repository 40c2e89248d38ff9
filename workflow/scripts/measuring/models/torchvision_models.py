"""Any classification builder of torchvision, by name."""

from typing import Any, Literal

import torchvision
from torch import nn
from torchvision.models.resnet import ResNet


def build(builder: str, *, stem: Literal["imagenet", "cifar"] = "imagenet", **arguments: Any) -> nn.Module:
    """Return `torchvision.models.<builder>(**arguments)` with random weights.

    `stem: cifar` replaces the first 7 x 7 stride 2 convolution and the pooling of a ResNet by one 3 x 3 convolution,
    as He et al. (2016) do for images of 32 x 32 pixels. Raises ValueError for an unknown builder, pretrained weights
    or a stem that does not exist.
    """
    if builder not in torchvision.models.list_models(module=torchvision.models):
        raise ValueError(f"builder is {builder!r}, expected a torchvision classification builder")
    for name in ("weights", "pretrained"):
        if arguments.get(name):
            raise ValueError(f"{name} is {arguments[name]!r}, but a run starts from random weights: leave it out")
    model = torchvision.models.get_model(builder, **arguments)
    return model if stem == "imagenet" else _with_cifar_stem(model, stem)


def _with_cifar_stem(model: nn.Module, stem: str) -> nn.Module:
    if stem != "cifar" or not isinstance(model, ResNet):
        raise ValueError(f"stem is {stem!r}, expected imagenet, or cifar for a ResNet")
    model.conv1 = nn.Conv2d(3, model.conv1.out_channels, kernel_size=3, padding=1, bias=False)
    nn.init.kaiming_normal_(model.conv1.weight, mode="fan_out", nonlinearity="relu")
    model.maxpool = nn.Identity()
    return model
