import hashlib

import numpy as np

from fetching.synthetic import make_images


def test_shapes_types_and_equal_classes():
    images, labels = make_images(40, stream=0)
    assert (images.shape, images.dtype) == ((40, 32, 32, 3), np.uint8)
    assert (labels.shape, labels.dtype) == ((40,), np.int64)
    assert np.bincount(labels).tolist() == [4] * 10


def test_the_bytes_are_the_same_everywhere_and_always():
    images, _ = make_images(1010, stream=0)
    assert (
        hashlib.sha256(images.tobytes()).hexdigest()
        == "a32a52cb84efec28c4e9753184ec8fc1a07f30eaa66835e3ba02f6ea7cab99e3"
    )


def test_train_and_test_images_differ():
    assert not np.array_equal(make_images(10, stream=0)[0], make_images(10, stream=1)[0])


def test_a_set_without_images_is_empty():
    images, labels = make_images(0, stream=0)
    assert len(images) == len(labels) == 0


def test_the_direction_of_the_stripes_tells_the_classes_apart():
    images, labels = make_images(1000, stream=0)
    grey = images.astype(float).mean(axis=3)
    down, across = grey.mean(axis=2).var(axis=1), grey.mean(axis=1).var(axis=1)
    assert np.mean((down > across) == (labels < 5)) > 0.95


def test_no_average_image_tells_the_classes_apart():
    images, labels = make_images(2000, stream=0)
    train, test = images[:1000].reshape(1000, -1).astype(float), images[1000:].reshape(1000, -1).astype(float)
    means = np.stack([train[labels[:1000] == label].mean(axis=0) for label in range(10)])
    nearest = (test @ means.T - (means**2).sum(axis=1) / 2).argmax(axis=1)
    assert np.mean(nearest == labels[1000:]) < 0.6
