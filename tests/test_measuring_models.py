import pytest
import torch

from measuring.models import build_model, model_file
from measuring.settings import ModelSettings
from measuring.work import count_work


def settings(builder, **arguments):
    return ModelSettings(name="m", builder=builder, arguments=arguments)


@pytest.mark.parametrize(
    ("builder", "arguments", "parameters"),
    [
        ("simple_cnn", {"num_classes": 10}, 505_058),
        ("resnet18", {"num_classes": 1000}, 11_689_512),
        ("resnet50", {"num_classes": 1000}, 25_557_032),
        ("resnet18", {"num_classes": 10}, 11_181_642),
    ],
)
def test_the_models_have_the_parameters_of_the_study(builder, arguments, parameters):
    assert count_work(settings(builder, **arguments)).parameters == parameters


def test_the_parameters_of_the_small_network_add_up_by_hand():
    convolutions = (3 * 9 + 1) * 32 + (32 * 9 + 1) * 64 + (64 * 9 + 1) * 128
    assert convolutions + (2048 + 1) * 200 + (200 + 1) * 10 == 505_058


@pytest.mark.parametrize(
    ("arguments", "forward", "training"),
    [({"num_classes": 10}, 74.0e6, 217.3e6), ({"num_classes": 10, "stem": "cifar"}, 1111e6, 3329e6)],
)
def test_the_work_of_resnet18_is_the_published_one(arguments, forward, training):
    work = count_work(settings("resnet18", **arguments))
    assert work.forward_flop_per_sample == pytest.approx(forward, rel=1e-3)
    assert work.training_flop_per_sample == pytest.approx(training, rel=1e-3)


def test_grouped_convolutions_get_three_times_their_forward_pass():
    work = count_work(settings("mobilenet_v2", num_classes=10))
    assert work.training_flop_per_sample == 3 * work.forward_flop_per_sample


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


def test_a_builder_of_ours_has_a_file_of_its_own():
    assert model_file("simple_cnn").name == "simple_cnn.py"
    assert model_file("resnet18").name == "torchvision_models.py"
