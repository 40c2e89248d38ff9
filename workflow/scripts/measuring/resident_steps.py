"""One training step and one evaluation step on resident images.

Both read and write tensors on the device only, at places that never change, and no host value: so the same code runs
as it is, compiled, or captured into a CUDA graph.
"""

from collections.abc import Callable

import torch
from torch import nn

from measuring.precision import autocast, loss_scaler
from measuring.resident import ResidentImages
from measuring.settings import Recipe

Forward = Callable[[int], torch.Tensor]


class TrainStep:
    """The work of one step of `training.train_epoch`, batch and augmentation included."""

    def __init__(
        self, model: nn.Module, optimizer: torch.optim.Optimizer, data: ResidentImages, recipe: Recipe
    ) -> None:
        """`losses` holds the loss of each step of the epoch."""
        self.model, self.optimizer, self.data = model, optimizer, data
        self.scaler = loss_scaler(recipe, data.step.device)
        self.losses = torch.zeros(len(data.sizes), dtype=data.dtype, device=data.step.device)
        self._autocast = autocast(recipe, data.step.device)
        self.full_forward: Forward | None = None  # a compiled one, of a full batch

    def __call__(self, size: int) -> None:
        """Train on the next `size` images."""
        forward = self.compiled(size) or self.forward
        loss = forward(size)
        self.backward(loss)
        self.optimize()
        self.finish(loss)

    def compiled(self, size: int) -> Forward | None:
        """Return the compiled forward pass for this many images; a smaller last batch is not worth one."""
        return self.full_forward if size == self.data.sizes[0] else None

    def forward(self, size: int) -> torch.Tensor:
        """Return the mean loss of the next `size` images."""
        return self.loss(*self.data.batch(size))

    def loss(self, images: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """Return the mean loss of a batch."""
        with self._autocast:
            return nn.functional.cross_entropy(self.model(images), labels)

    def backward(self, loss: torch.Tensor) -> None:
        """Compute the gradients."""
        self.optimizer.zero_grad()
        self.scaler.scale(loss).backward()

    def optimize(self) -> None:
        """Change the weights."""
        self.scaler.step(self.optimizer)
        self.scaler.update()

    def finish(self, loss: torch.Tensor) -> None:
        """Keep the loss and move on to the next batch."""
        self.losses.index_copy_(0, self.data.step, loss.detach()[None])
        self.data.step.add_(1)


class EvaluationStep:
    """The work of one step of `training.evaluate`."""

    def __init__(self, model: nn.Module, data: ResidentImages, recipe: Recipe) -> None:
        """`losses` and `correct` hold the mean loss and the number of right answers of each step."""
        self.model, self.data = model, data
        self.losses = torch.zeros(len(data.sizes), dtype=data.dtype, device=data.step.device)
        self.correct = torch.zeros(len(data.sizes), dtype=torch.int64, device=data.step.device)
        self._autocast = autocast(recipe, data.step.device)

    @torch.no_grad()
    def __call__(self, size: int) -> None:
        """Evaluate the next `size` images."""
        images, labels = self.data.batch(size)
        with self._autocast:
            outputs = self.model(images)
            loss = nn.functional.cross_entropy(outputs, labels)
        self.losses.index_copy_(0, self.data.step, loss[None])
        self.correct.index_copy_(0, self.data.step, (outputs.argmax(dim=1) == labels).sum()[None])
        self.data.step.add_(1)
