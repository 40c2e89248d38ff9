import pytest
import torch
from torch import nn

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


def work_of(monkeypatch, network):
    """The work of a network that is built anew."""
    monkeypatch.setattr("measuring.work.build_model", lambda model: network())
    return count_work(settings("any"))


def test_a_product_for_each_output_and_input_channel_is_the_least_of_a_convolution():
    """Forward, and for both gradients: of the images too, but for the first convolution."""
    convolutions = 2 * 32 * 32 * (32 * 3) + 3 * 16 * 16 * (64 * 32) + 3 * 8 * 8 * (128 * 64)
    products = 3 * (128 * 4 * 4 * 200 + 200 * 10)
    assert count_work(settings("simple_cnn", num_classes=10)).fewest_flop_per_sample == 2 * (convolutions + products)


def test_a_kernel_that_meets_nothing_but_padding_around_its_centre_is_no_work(monkeypatch):
    """On an image of 1 x 1 pixel a kernel of 3 x 3 is one of 1 x 1."""

    def network(kernel):
        return nn.Sequential(nn.Conv2d(3, 8, 32), nn.Conv2d(8, 8, kernel, padding=kernel // 2))

    centre, whole = (work_of(monkeypatch, lambda kernel=kernel: network(kernel)) for kernel in (1, 3))
    assert whole.fewest_flop_per_sample == centre.fewest_flop_per_sample


@pytest.mark.parametrize(
    ("layer", "least"),
    [
        (lambda: nn.Conv2d(3, 6, 3, groups=3, padding=1), 2 * 32 * 32 * 6),  # an input channel for each output
        (lambda: nn.ConvTranspose2d(3, 6, 3, stride=2), 2 * 32 * 32 * 3 * 6),  # its inputs are what counts
    ],
    ids=["grouped", "transposed"],
)
def test_other_convolutions_have_a_least_too(monkeypatch, layer, least):
    forward_and_weight = 2
    assert work_of(monkeypatch, layer).fewest_flop_per_sample == forward_and_weight * least


class Product(nn.Module):
    """A matrix product outside any layer, as in attention."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(32, 32))

    def forward(self, images):
        return images @ self.weight


def test_a_network_without_convolution_or_linear_layer_has_a_ceiling_too(monkeypatch):
    found = work_of(monkeypatch, Product)
    assert found.fewest_flop_per_sample == found.training_flop_per_sample == 2 * 2 * 3 * 32 * 32 * 32
