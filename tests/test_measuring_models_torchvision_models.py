import pytest
import torch

from measuring.models import build_model
from measuring.settings import ModelSettings


def settings(builder, **arguments):
    return ModelSettings(name="m", builder=builder, arguments=arguments)


def test_a_cifar_stem_keeps_the_full_resolution():
    model = build_model(settings("resnet18", num_classes=10, stem="cifar"))
    assert model.maxpool(model.conv1(torch.zeros(1, 3, 32, 32))).shape == (1, 64, 32, 32)


@pytest.mark.parametrize(
    ("builder", "arguments", "message"),
    [
        ("resnet81", {}, "expected a torchvision classification builder"),
        ("torchvision_models", {}, "expected a torchvision classification builder"),
        ("../settings", {}, "expected a torchvision classification builder"),
        ("resnet18", {"weights": "DEFAULT"}, "random weights"),
        ("resnet18", {"pretrained": True}, "random weights"),
        ("resnet18", {"stem": "cifra"}, "stem is 'cifra', expected imagenet"),
        ("vgg11", {"stem": "cifar"}, "cifar for a ResNet"),
    ],
)
def test_what_cannot_be_built_is_said(builder, arguments, message):
    with pytest.raises(ValueError, match=message):
        build_model(settings(builder, **arguments))
