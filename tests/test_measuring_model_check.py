import pytest

from measuring.model_check import accepted, builders, model_error


@pytest.mark.parametrize(
    "model",
    [
        {"builder": "simple_cnn", "num_classes": 10},
        {"builder": "resnet18", "num_classes": 10, "stem": "cifar"},
        {"builder": "resnet50"},
        {"builder": "vit_b_16", "image_size": 32, "num_classes": 10, "dropout": 0},
    ],
    ids=lambda model: model["builder"],
)
def test_a_model_that_fits_the_images_is_accepted(model):
    assert model_error("mine", model) is None


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        ({"builder": "resnet81"}, "config.models.mine.builder is 'resnet81', expected simple_cnn or the name of a"),
        ({"builder": "resnet81"}, "torchvision classification builder; did you mean resnet18?"),
        (
            {"builder": "torchvision_models"},
            "config.models.mine.builder is 'torchvision_models', expected simple_cnn or",
        ),
        ({"builder": "../settings"}, "config.models.mine.builder is '../settings', expected simple_cnn or"),
        ({"builder": "deeplabv3_resnet50"}, "config.models.mine.builder is 'deeplabv3_resnet50', expected simple_cnn"),
        (
            {"builder": "resnet18", "num_clases": 10},
            "mine.num_clases is 10, but the builder resnet18 has no such argument; did you mean num_classes?",
        ),
        (
            {"builder": "simple_cnn", "stem": "cifar"},
            "mine.stem is 'cifar', but the builder simple_cnn has no such argum",
        ),
        ({"builder": "simple_cnn"}, "config.models.mine.num_classes is missing: the builder simple_cnn needs it."),
        (
            {"builder": "resnet18", "num_classes": "10"},
            "config.models.mine.num_classes is '10', expected a whole number.",
        ),
        (
            {"builder": "resnet18", "num_classes": True},
            "config.models.mine.num_classes is True, expected a whole number.",
        ),
        ({"builder": "resnext50_32x4d", "groups": 2.0}, "config.models.mine.groups is 2.0, expected a whole number."),
        ({"builder": "vgg11", "dropout": "0.5"}, "config.models.mine.dropout is '0.5', expected a number."),
        ({"builder": "vgg11", "init_weights": 1}, "config.models.mine.init_weights is 1, expected true or false."),
        ({"builder": "vit_b_16"}, "config.models.mine.image_size is missing: the images have 32 x 32 pixels, write"),
        (
            {"builder": "vgg11", "stem": "cifar"},
            "config.models.mine.stem is 'cifar', expected imagenet, or cifar for a",
        ),
        (
            {"builder": "resnet18", "weights": "DEFAULT"},
            "config.models.mine.weights is 'DEFAULT', but a run starts from",
        ),
        (
            {"builder": "googlenet"},
            "which returns GoogLeNetOutputs for 2 images, expected a tensor of shape (2, classes)",
        ),
        ({"builder": "simple_cnn", "num_classes": 3}, "which returns (2, 3) for 2 images, expected"),
        (
            {"builder": "alexnet"},
            "config.models.mine is {'builder': 'alexnet'}, which cannot be trained on images of 32 x 32",
        ),
        (
            {"builder": "resnet18", "norm_layer": "batch"},
            "which cannot be trained on images of 32 x 32 pixels: 'str' obj",
        ),
        (
            {"builder": "resnet18", "num_classes": 10**30},
            "which cannot be trained on images of 32 x 32 pixels: empty()",
        ),
    ],
)
def test_a_model_that_cannot_be_trained_is_answered_with_its_key(model, sentence):
    error = model_error("mine", model)
    assert sentence in error
    assert error.endswith((".", "?")) and "\n" not in error


def test_the_arguments_of_every_builder_are_known():
    assert all("num_classes" in accepted(builder) for builder in builders())
