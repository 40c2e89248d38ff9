import sys
from dataclasses import replace

import numpy as np
import pytest
import torch

from lineage.job import UserError
from measuring.data import MEAN, STD, ImageDataset, augmentation_seed, load_images, train_batches, train_transform
from measuring.data import test_batches as in_order
from runs import RECIPE, made_images

PLAIN = replace(RECIPE, crop_padding=0, horizontal_flip=False)


def test_a_pixel_is_scaled_to_one_and_normalised_by_colour():
    image = np.full((1, 32, 32, 3), 255, dtype=np.uint8)
    tensor, label = ImageDataset(image, np.array([4]), train_transform(PLAIN))[0]
    assert tensor.shape == (3, 32, 32) and label == 4
    assert tensor[:, 0, 0].tolist() == pytest.approx([(1 - mean) / std for mean, std in zip(MEAN, STD, strict=True)])


def test_the_channels_keep_their_order_red_green_blue():
    image = np.zeros((1, 32, 32, 3), dtype=np.uint8)
    image[..., 0] = 255
    tensor, _ = ImageDataset(image, np.array([0]), train_transform(PLAIN))[0]
    assert tensor[0].min() > 0 > tensor[1].max() and tensor[2].max() < 0


def test_the_order_of_training_images_depends_on_the_seed_alone():
    images = made_images()

    def labels(seed):
        torch.manual_seed(np.random.randint(1000))
        return [label for _, batch in train_batches(images, PLAIN, seed) for label in batch.tolist()]

    assert labels(1) == labels(1)
    assert labels(1) != labels(2)
    assert sorted(labels(1)) == sorted(images.train_labels.tolist())


def test_the_seeds_of_the_augmentation_differ_from_those_of_all_orders_in_the_bits_that_torch_reads():
    seeds = [augmentation_seed(seed) for seed in range(100)]
    assert len({*seeds, *range(1000)}) == 1100
    assert all(0 <= seed < 2**32 for seed in seeds)


def test_the_loaders_augmentation_does_not_repeat_the_stream_of_the_order():
    batches = train_batches(made_images(), RECIPE, seed=1)
    assert not torch.equal(batches.dataset._random_state, batches.generator.get_state())


def test_the_test_images_keep_their_order_and_are_not_augmented():
    images = made_images()
    labels = [label for _, batch in in_order(images, RECIPE) for label in batch.tolist()]
    assert labels == images.test_labels.tolist()
    first = next(iter(in_order(images, RECIPE)))[0]
    assert torch.equal(first, next(iter(in_order(images, PLAIN)))[0])


def test_crop_and_flip_change_an_image_only_when_asked_for():
    images = made_images()
    dataset = ImageDataset(images.train_images, images.train_labels, train_transform(RECIPE))
    plain = ImageDataset(images.train_images, images.train_labels, train_transform(PLAIN))
    assert torch.equal(plain[3][0], plain[3][0])
    assert any(not torch.equal(dataset[3][0], plain[3][0]) for _ in range(20))


def test_a_damaged_data_file_is_named(tmp_path):
    path = tmp_path / "cifar10.npz"
    path.write_bytes(b"PK\x03\x04 cut")
    with pytest.raises(UserError, match=r"cifar10\.npz is damaged .*: delete it and run again"):
        load_images(path, tmp_path / "cifar10.sha256")


@pytest.mark.parametrize("workers", [0, 2])
def test_a_model_that_draws_random_numbers_does_not_change_the_augmentation(workers):
    images, recipe = made_images(), replace(RECIPE, loader_workers=workers)

    def batches(draws):
        torch.manual_seed(1)
        seen = []
        for batch, _ in train_batches(images, recipe, seed=3):
            seen.append(batch)
            torch.rand(draws)
        return torch.cat(seen)

    assert torch.equal(batches(draws=0), batches(draws=1000))


def test_each_epoch_is_augmented_anew():
    loader = train_batches(made_images(), RECIPE, seed=3)
    first, second = (torch.cat([batch for batch, _ in loader]) for _ in range(2))
    assert not torch.equal(first.sum(dim=0), second.sum(dim=0))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no Unix sockets")
def test_a_folder_whose_path_is_too_long_for_sockets_is_refused_before_a_loader_process_waits_for_ever(
    tmp_path, monkeypatch
):
    monkeypatch.setattr("measuring.data.get_temp_dir", lambda: str(tmp_path / ("x" * 100)))
    with pytest.raises(UserError, match=r"too long .* of at most 10[37]\): set TMPDIR to a shorter one"):
        train_batches(made_images(), replace(RECIPE, loader_workers=1), seed=0)
    train_batches(made_images(), replace(RECIPE, loader_workers=0), seed=0)
