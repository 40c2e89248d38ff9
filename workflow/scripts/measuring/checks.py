"""What can only be checked once data and model are there: whether they fit each other."""

from torch import nn

from lineage.job import UserError
from measuring.data import Images
from measuring.settings import Recipe, RunSettings


def check_classes(images: Images, settings: RunSettings) -> None:
    """Raise UserError when the model has fewer outputs than the data has classes."""
    classes, needed = settings.model.arguments.get("num_classes"), int(images.train_labels.max()) + 1
    if isinstance(classes, int) and classes < needed:
        raise UserError(
            f"config.models.{settings.model.name}.num_classes is {classes}, but dataset {settings.dataset.name} "
            f"has {needed} classes: raise it to {needed} or more."
        )


def check_last_step(model: nn.Module, recipe: Recipe, train_images: int) -> None:
    """Raise UserError when a step of an epoch would hold one image, on which batch normalisation cannot train."""
    normalised = any(isinstance(module, nn.modules.batchnorm._BatchNorm) for module in model.modules())
    if normalised and (recipe.batch_size == 1 or train_images % recipe.batch_size == 1):
        raise UserError(
            f"config.recipes.{recipe.name}.batch_size is {recipe.batch_size}, which leaves a step of one image out of "
            f"{train_images}, and batch normalisation cannot train on one image: change it."
        )
