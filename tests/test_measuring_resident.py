from dataclasses import replace

import pytest
import torch

from measuring.resident import EpochRows, ResidentImages, step_sizes
from runs import RECIPE, made_images

CPU = torch.device("cpu")
IMAGES = made_images()


def resident(memory_format="channels_last"):
    recipe = replace(RECIPE, memory_format=memory_format)
    return ResidentImages(IMAGES.train_images, IMAGES.train_labels, recipe, CPU, torch.float32)


@pytest.mark.parametrize(
    ("images", "batch", "sizes"), [(105, 10, [10] * 10 + [5]), (20, 10, [10, 10]), (3, 10, [3]), (1, 1, [1])]
)
def test_the_last_step_takes_what_is_left(images, batch, sizes):
    assert step_sizes(images, batch) == sizes


def test_an_epoch_of_cifar10_has_391_steps():
    assert step_sizes(50_000, 128) == [128] * 390 + [80]


def test_the_batches_follow_the_number_of_the_step():
    data, seen = resident(), []
    for size in data.sizes:
        seen.append(data.batch(size)[1])
        data.step.add_(1)
    assert torch.cat(seen).tolist() == IMAGES.train_labels.tolist()
    data.restart()
    assert data.batch(10)[1].tolist() == IMAGES.train_labels[:10].tolist()


def test_images_and_classes_follow_the_rows():
    data, rows = resident(), EpochRows(105, RECIPE, seed=5).draw()
    data.restart(rows)
    images, labels = data.batch(10)
    assert labels.tolist() == IMAGES.train_labels[rows[:10, 0].numpy()].tolist()
    assert images.shape == (10, 3, 32, 32)


@pytest.mark.parametrize(
    ("name", "memory_format"), [("contiguous", torch.contiguous_format), ("channels_last", torch.channels_last)]
)
def test_a_batch_has_the_memory_format_that_was_asked_for(name, memory_format):
    images, _ = resident(name).batch(10)
    assert images.is_contiguous(memory_format=memory_format)


def test_the_same_seed_draws_the_same_epochs():
    first, second, other = (EpochRows(50, RECIPE, seed) for seed in (1, 1, 2))
    for _ in range(2):
        rows = first.draw()
        assert torch.equal(rows, second.draw())
        assert not torch.equal(rows, other.draw())


def test_the_augmentation_does_not_repeat_the_stream_of_the_order():
    rows, same_seed = EpochRows(50, RECIPE, seed=1).draw(), torch.Generator().manual_seed(1)
    repeated = torch.randint(2 * RECIPE.crop_padding + 1, (50, 2), generator=same_seed, dtype=torch.int32)
    assert not torch.equal(rows[:, 1:3], repeated)
