"""The lines that a person sees while a run trains; written between the timed windows only."""

import sys
from collections.abc import Callable

from measuring.budget import Budget
from measuring.settings import RunSettings
from measuring.training import Epoch


def print_line(line: str) -> None:
    """Show a line at once."""
    print(line, file=sys.stderr, flush=True)


def run_name(settings: RunSettings, repeat: int) -> str:
    """Return what a person calls this run."""
    return f"{settings.recipe.name} {settings.model.name} {settings.device.name} #{repeat}"


class Progress:
    """Says what a run does: at its start, and after each epoch what came out and how long the rest takes."""

    def __init__(
        self, settings: RunSettings, repeat: int, budget: Budget, write: Callable[[str], None] = print_line
    ) -> None:
        """Keep the run's name and length."""
        self._name = run_name(settings, repeat)
        self._epochs, self._budget = settings.recipe.epochs, budget
        self._spent_s = 0.0
        self._write = write

    def start(self, parameters: int, threads: int, without: str = "") -> None:
        """Announce the run; `without` says which of its recipe's knobs do not work here, and why."""
        budget_s = self._budget.budget_s
        limit = "" if budget_s is None else f", at most about {budget_s:g} s of training"
        size = f"{parameters / 1e6:.2f} M parameters, {threads} threads"
        if without:
            self._write(f"{self._name}: goes on without {without}")
        self._write(f"{self._name}: epoch 1/{self._epochs} runs ({size}{limit})")

    def epoch(self, epoch: Epoch) -> None:
        """Report one epoch."""
        self._spent_s += epoch.train_s
        accuracy = "not evaluated" if epoch.test_accuracy is None else f"{100 * epoch.test_accuracy:.1f} %"
        self._write(
            f"{self._name}: epoch {epoch.epoch}/{self._epochs}, loss {epoch.train_loss:.3f}, accuracy {accuracy}, "
            f"{epoch.images / epoch.train_s:.0f} images/s, {self._rest(epoch)}"
        )

    def _rest(self, epoch: Epoch) -> str:
        train_left_s = (self._epochs - epoch.epoch) * epoch.train_s
        if self._budget.ended:
            return self._budget.ended
        if self._budget.budget_s is not None:
            train_left_s = min(train_left_s, self._budget.budget_s - self._spent_s)
        left_s = max(0.0, train_left_s) * (1 + (epoch.eval_s or 0.0) / epoch.train_s)
        return f"{int(left_s // 60)} min {left_s % 60:.0f} s left"
