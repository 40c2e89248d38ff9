from dataclasses import replace

import numpy as np
import pytest
import torch
from PIL import Image
from torchvision.transforms.functional import crop, hflip, pad

from measuring.augmentation import Constants, augment, draw_rows, pack, plain_rows
from measuring.data import ImageDataset, train_batches, train_transform
from runs import RECIPE, made_images

NOISE = np.random.default_rng(3).integers(0, 256, (7, 32, 32, 3), dtype=np.uint8)
CONSTANTS = Constants(torch.device("cpu"), torch.float32)
PLAIN = replace(RECIPE, crop_padding=0, horizontal_flip=False)


def loaded(index):
    """An image as the loader's transforms give it, neither cropped nor flipped."""
    return ImageDataset(NOISE, np.zeros(7, dtype=np.int64), train_transform(PLAIN))[index][0]


def augmented(rows, padding=4):
    return augment(pack(NOISE), torch.tensor(rows, dtype=torch.int32), padding=padding, constants=CONSTANTS)


def test_images_that_are_not_augmented_are_those_of_the_loader():
    images = augment(pack(NOISE), plain_rows(7, padding=4), padding=4, constants=CONSTANTS)
    expected = torch.stack([loaded(index) for index in range(7)])
    assert images.shape == (7, 3, 32, 32)
    assert torch.allclose(images, expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("flip", [0, 1])
def test_each_of_the_81_crops_and_its_flip_is_that_of_the_loaders_transforms(flip):
    corners = [(top, left) for top in range(9) for left in range(9)]
    images = augmented([[2, top, left, flip] for top, left in corners])
    source = pad(Image.fromarray(NOISE[2]), 4)
    for image, (top, left) in zip(images, corners, strict=True):
        window = crop(source, top, left, 32, 32)
        expected = train_transform(PLAIN)(hflip(window) if flip else window)
        assert torch.allclose(image, expected, rtol=0, atol=1e-6), (top, left)


def test_the_padding_is_black_before_normalisation():
    black = ImageDataset(NOISE * 0, np.zeros(7, dtype=np.int64), train_transform(PLAIN))[0][0]
    assert torch.allclose(augmented([[5, 0, 0, 0]])[0, :, :4], black[:, :4], rtol=0, atol=1e-6)


def test_no_padding_leaves_one_crop():
    assert torch.allclose(augmented([[6, 0, 0, 0]], padding=0)[0], loaded(6), rtol=0, atol=1e-6)


def test_the_channels_come_last_in_memory():
    assert augmented([[0, 4, 4, 0]]).is_contiguous(memory_format=torch.channels_last)


def rows_of(images, epochs=1, padding=4, flip=True):
    order, augmentation = torch.Generator().manual_seed(9), torch.Generator().manual_seed(9)
    return [
        draw_rows(images, padding=padding, flip=flip, order=order, augmentation=augmentation) for _ in range(epochs)
    ]


def test_corners_and_flips_are_uniform_and_independent():
    (rows,) = rows_of(162_000)
    cells = (rows[:, 1] * 9 + rows[:, 2]) * 2 + rows[:, 3]
    counts = torch.bincount(cells.long(), minlength=162).double()
    assert len(counts) == 162
    # chi-square of 161 degrees of freedom: mean 161, standard deviation 18; five of them is one in a million
    assert ((counts - 1000) ** 2 / 1000).sum() < 161 + 5 * 18


def test_an_epoch_takes_every_image_once_and_the_next_another_order():
    first, second = rows_of(500, epochs=2)
    assert sorted(first[:, 0].tolist()) == sorted(second[:, 0].tolist()) == list(range(500))
    assert first[:, 0].tolist() != second[:, 0].tolist()
    assert first[:, 1:].tolist() != second[:, 1:].tolist()


def test_the_order_of_every_epoch_is_the_loaders():
    images = made_images()
    images = replace(images, train_labels=np.arange(105))
    loader = train_batches(images, RECIPE, seed=9)
    for rows in rows_of(105, epochs=3):
        assert rows[:, 0].tolist() == [label for _, labels in loader for label in labels.tolist()]


def test_nothing_is_shifted_or_flipped_unless_asked_for():
    (rows,) = rows_of(1000, padding=0, flip=False)
    assert rows[:, 1:].abs().sum() == 0
