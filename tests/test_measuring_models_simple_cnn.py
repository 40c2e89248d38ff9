import torch

from measuring.models.simple_cnn import build


def test_the_parameters_add_up_by_hand():
    convolutions = (3 * 9 + 1) * 32 + (32 * 9 + 1) * 64 + (64 * 9 + 1) * 128
    by_hand = convolutions + (2048 + 1) * 200 + (200 + 1) * 10
    assert sum(weight.numel() for weight in build("simple_cnn", num_classes=10).parameters()) == by_hand == 505_058


def test_an_image_gives_one_number_a_class():
    assert build("simple_cnn", num_classes=7)(torch.zeros(2, 3, 32, 32)).shape == (2, 7)
