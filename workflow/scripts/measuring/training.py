"""The training loop and its evaluation."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import nn
from torch.optim.lr_scheduler import StepLR

from measuring.budget import Budget
from measuring.data import Batches
from measuring.observer import Observation, Observer
from measuring.outcome import DivergedError
from measuring.projection import Window
from measuring.settings import Recipe
from measuring.timing import Stopwatch


@dataclass(frozen=True, kw_only=True)
class Epoch(Window):
    """What one epoch took and gave; times in seconds, losses in nats, accuracy as a share."""

    epoch: int
    images: int
    steps: int
    learning_rate: float
    event_train_s: float
    """The same window by the device's own events; on a CPU by the host's marks."""
    eval_s: float | None
    """None when a budget ended the epoch early: it is not evaluated."""
    train_loss: float
    test_loss: float | None
    test_accuracy: float | None
    observation: Observation


class Loop(Protocol):
    """One way to train an epoch and to evaluate; `train_epoch` and `evaluate` below say what they do."""

    @property
    def optimizer(self) -> torch.optim.Optimizer:
        """What changes the weights."""

    @property
    def steps(self) -> int:
        """Steps of a whole epoch."""

    def train_epoch(self, *, stopwatch: Stopwatch, budget: Budget) -> tuple[list[torch.Tensor], list[int]]:
        """Train one epoch inside the stopwatch's window and return each step's loss and image count."""

    def evaluate(self, *, watch: Stopwatch) -> "Evaluation":
        """Evaluate on all test images."""


def train(
    *,
    loop: Loop,
    recipe: Recipe,
    budget: Budget,
    new_stopwatch: Callable[[], Stopwatch],
    observer: Observer,
) -> Iterator[Epoch]:
    """Yield each epoch after it ran, until the recipe or the budget ends.

    Raises DivergedError when the mean loss of an epoch is not finite.
    """
    schedule = StepLR(loop.optimizer, step_size=recipe.lr_step_size, gamma=recipe.lr_gamma)
    for number in range(1, recipe.epochs + 1):
        (learning_rate,) = schedule.get_last_lr()
        stopwatch = new_stopwatch()
        observer.open()
        losses, sizes = loop.train_epoch(stopwatch=stopwatch, budget=budget)
        observation = observer.close()
        schedule.step()
        train_loss = mean_loss(losses, sizes)
        if not math.isfinite(train_loss):
            raise DivergedError(f"the mean loss of epoch {number} is {train_loss}")
        complete = len(sizes) == loop.steps
        test = loop.evaluate(watch=new_stopwatch()) if complete else None
        if test and not math.isfinite(test.loss):
            raise DivergedError(f"the test loss after epoch {number} is {test.loss}")
        epoch = Epoch(
            epoch=number,
            images=sum(sizes),
            steps=len(sizes),
            learning_rate=float(learning_rate),
            train_s=stopwatch.window_s,
            event_train_s=stopwatch.events_s(),
            first_batch_s=budget.first_batch_s,
            eval_s=test.eval_s if test else None,
            train_loss=train_loss,
            test_loss=test.loss if test else None,
            test_accuracy=test.accuracy if test else None,
            step_s=stopwatch.step_s(),
            step_images=sizes,
            observation=observation,
        )
        budget.epoch(epoch)
        yield epoch
        if budget.ended:
            return


def train_epoch(
    *,
    model: nn.Module,
    batches: Batches,
    optimizer: torch.optim.Optimizer,
    device: torch.device,
    stopwatch: Stopwatch,
    budget: Budget,
) -> tuple[list[torch.Tensor], list[int]]:
    """Train one epoch inside the stopwatch's window and return each step's loss (on the device) and image count.

    Ends early when the budget says so.
    """
    losses: list[torch.Tensor] = []
    sizes: list[int] = []
    model.train()
    stopwatch.start()
    for images, labels in batches:
        if not sizes:
            budget.first_batch(stopwatch.elapsed_s())
        loss = nn.functional.cross_entropy(model(images.to(device)), labels.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())  # reading the value here would stall the device
        sizes.append(len(labels))
        stopwatch.lap()
        if budget.step(stopwatch.elapsed_s(), len(labels)):
            break
    stopwatch.stop()
    return losses, sizes


def mean_loss(losses: list[torch.Tensor], sizes: list[int]) -> float:
    """Return the mean loss per image over steps of different sizes."""
    per_step = torch.stack(losses).cpu().double()
    weights = torch.tensor(sizes, dtype=torch.float64)
    return float((per_step * weights).sum() / weights.sum())


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """Mean loss (nats) and accuracy (share) over the test images, and the seconds that it took."""

    loss: float
    accuracy: float
    eval_s: float


@torch.no_grad()
def evaluate(*, model: nn.Module, batches: Batches, device: torch.device, watch: Stopwatch) -> Evaluation:
    """Evaluate the model on all batches, timed in a window of its own."""
    losses: list[torch.Tensor] = []
    correct: list[torch.Tensor] = []
    sizes: list[int] = []
    model.eval()
    watch.start()
    for images, labels in batches:
        outputs, targets = model(images.to(device)), labels.to(device)
        losses.append(nn.functional.cross_entropy(outputs, targets))
        correct.append((outputs.argmax(dim=1) == targets).sum())
        sizes.append(len(labels))
    watch.stop()
    accuracy = int(torch.stack(correct).sum()) / sum(sizes)
    return Evaluation(loss=mean_loss(losses, sizes), accuracy=accuracy, eval_s=watch.window_s)
