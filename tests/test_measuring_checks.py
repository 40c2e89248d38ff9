from dataclasses import replace

import pytest
from torch import nn

from lineage.job import UserError
from measuring.checks import check_classes, check_last_step
from runs import RECIPE, SETTINGS, made_images

NORMALISED = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4))


def test_a_model_with_fewer_outputs_than_classes_is_refused():
    model = replace(SETTINGS.model, arguments={"num_classes": 9})
    with pytest.raises(UserError, match="num_classes is 9, but dataset made has 10 classes: raise it to 10 or more"):
        check_classes(made_images(), replace(SETTINGS, model=model))


@pytest.mark.parametrize("classes", [10, 1000, None])
def test_a_model_with_enough_outputs_or_its_own_number_passes(classes):
    check_classes(made_images(), replace(SETTINGS, model=replace(SETTINGS.model, arguments={"num_classes": classes})))


@pytest.mark.parametrize(("batch_size", "images"), [(10, 21), (1, 20)])
def test_batch_normalisation_refuses_a_step_of_one_image(batch_size, images):
    with pytest.raises(
        UserError, match=f"batch_size is {batch_size}, which leaves a step of one image out of {images}"
    ):
        check_last_step(NORMALISED, replace(RECIPE, batch_size=batch_size), images)


def test_a_last_step_of_two_images_or_a_network_without_normalisation_passes():
    check_last_step(NORMALISED, RECIPE, 22)
    check_last_step(nn.Linear(1, 1), RECIPE, 21)
