import pytest

from measuring.settings import ModelSettings
from measuring.work import count_work, fewest_flop_share


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


@pytest.mark.parametrize(
    ("builder", "share"),
    [
        # products of the three 3 x 3 convolutions (884,736 and twice 4,718,592), and of the two products after them
        ("simple_cnn", (0.25 * (884_736 + 4_718_592 + 4_718_592) + 411_600) / (884_736 + 2 * 4_718_592 + 411_600)),
        ("resnet50", 0.633),
    ],
)
def test_fast_convolutions_leave_a_quarter_of_3_x_3_and_all_of_1_x_1(builder, share):
    assert fewest_flop_share(settings(builder, num_classes=10)) == pytest.approx(share, rel=1e-3)
