"""The plain loop with its batches from torch's loader: what a user writes from a tutorial."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn

from measuring.budget import Budget
from measuring.data import Batches
from measuring.knobs import Knobs
from measuring.timing import Stopwatch
from measuring.training import Evaluation, evaluate, train_epoch


@dataclass(frozen=True, kw_only=True)
class PlainLoop:
    """Trains and evaluates as `training.train_epoch` and `training.evaluate` read."""

    model: nn.Module
    train_batches: Batches
    test_batches: Batches
    optimizer: torch.optim.Optimizer
    device: torch.device

    def prepare(self, knobs: Knobs, finish: Callable[[str], None]) -> None:
        """Nothing is prepared: what the first steps cost is inside the clock."""

    @property
    def steps(self) -> int:
        """Steps of an epoch."""
        return len(self.train_batches)

    def train_epoch(self, *, stopwatch: Stopwatch, budget: Budget) -> tuple[list[torch.Tensor], list[int]]:
        """Train one epoch."""
        return train_epoch(
            model=self.model,
            batches=self.train_batches,
            optimizer=self.optimizer,
            device=self.device,
            stopwatch=stopwatch,
            budget=budget,
        )

    def evaluate(self, *, watch: Stopwatch) -> Evaluation:
        """Evaluate on all test batches."""
        return evaluate(model=self.model, batches=self.test_batches, device=self.device, watch=watch)
