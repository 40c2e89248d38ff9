"""Training and evaluation on resident images, with as much prepared beforehand as the recipe asks for."""

from collections.abc import Callable

import torch
from torch import nn

from measuring.budget import Budget
from measuring.data import Images
from measuring.devices import synchronise
from measuring.graphs import WARM_UP_STEPS, GraphedStep, Step
from measuring.knobs import Knobs
from measuring.outcome import is_out_of_memory
from measuring.resident import EpochRows, ResidentImages
from measuring.resident_steps import EvaluationStep, TrainStep
from measuring.restore import restored
from measuring.settings import Recipe
from measuring.timing import Stopwatch
from measuring.training import Evaluation, mean_loss


class ResidentLoop:
    """The same algorithm as the plain loop: same batches, losses, updates and evaluation."""

    def __init__(
        self,
        *,
        model: nn.Module,
        optimizer: torch.optim.Optimizer,
        images: Images,
        recipe: Recipe,
        device: torch.device,
        seed: int,
    ) -> None:
        """Copy the images to the device."""
        self.model, self.optimizer, self.device = model, optimizer, device
        dtype = next(model.parameters()).dtype
        training = ResidentImages(images.train_images, images.train_labels, recipe, device, dtype)
        test = ResidentImages(images.test_images, images.test_labels, recipe, device, dtype)
        self.train_step = TrainStep(model, optimizer, training, recipe)
        self.test_step = EvaluationStep(model, test, recipe)
        self._rows = EpochRows(len(self.train_step.data), recipe, seed)
        self.draw_next_epoch()
        self.take_step: Step = self.train_step
        self._evaluate_step: Step = self.test_step

    @property
    def steps(self) -> int:
        """Steps of an epoch."""
        return len(self.train_step.data.sizes)

    def prepare(self, knobs: Knobs, finish: Callable[[str], None]) -> None:
        """Compile and capture what `knobs` ask for; weights, optimizer and random state stay what they were.

        `finish` ends a part of the start-up, by name. What does not work here is given up, with its reason.
        """
        with restored(self.model, self.optimizer, self.train_step.scaler, self.device):
            if knobs.active("compile"):
                self._compile(knobs)
                finish("compile")
            if knobs.active("graph"):
                self._capture(knobs)
                finish("capture")
        self.train_step.data.restart()
        self.test_step.data.restart()

    def _compile(self, knobs: Knobs) -> None:
        self.model.train()
        self.train_step.full_forward = torch.compile(self.train_step.forward, dynamic=False)
        try:
            self.train_step(self.train_step.data.sizes[0])
            synchronise(self.device)
        except Exception as error:  # torch has no common class for what a compiler can raise
            if is_out_of_memory(error):
                raise
            self.train_step.full_forward = None
            knobs.give_up("compile", error)

    def _capture(self, knobs: Knobs) -> None:
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            self._warm_up()
        torch.cuda.current_stream().wait_stream(stream)
        try:
            self.model.train()
            self.take_step = GraphedStep(self.train_step, self.train_step.data.sizes, stream)
            self.model.eval()
            self._evaluate_step = GraphedStep(self.test_step, self.test_step.data.sizes, stream)
            # A replay calls no Python; without this mark torch's schedule warns that no step was taken before it.
            self.optimizer._opt_called = True  # type: ignore[attr-defined]
        except RuntimeError as error:
            if is_out_of_memory(error):
                raise
            self.take_step, self._evaluate_step = self.train_step, self.test_step
            knobs.give_up("graph", error)

    def _warm_up(self) -> None:
        for step, mode in ((self.train_step, True), (self.test_step, False)):
            self.model.train(mode)
            for size in dict.fromkeys(step.data.sizes):
                for _ in range(WARM_UP_STEPS):
                    step.data.restart()
                    step(size)

    def start_epoch(self) -> list[int]:
        """Bring order and augmentation of the epoch to the device and return the images of each of its steps."""
        self.train_step.data.restart(self._next_rows)
        return self.train_step.data.sizes

    def draw_next_epoch(self) -> None:
        """Draw order and augmentation of the next epoch."""
        rows = self._rows.draw()
        self._next_rows = rows.pin_memory() if self.device.type == "cuda" else rows

    def train_epoch(self, *, stopwatch: Stopwatch, budget: Budget) -> tuple[list[torch.Tensor], list[int]]:
        """Train one epoch as `training.train_epoch` does."""
        sizes: list[int] = []
        self.model.train()
        stopwatch.start()
        step_images = self.start_epoch()
        budget.first_batch(stopwatch.elapsed_s())
        for size in step_images:
            self.take_step(size)
            sizes.append(size)
            stopwatch.lap()
            if budget.step(stopwatch.elapsed_s(), size):
                break
        self.draw_next_epoch()  # while an accelerator is still at work on what was queued
        stopwatch.stop()
        return list(self.train_step.losses[: len(sizes)].clone()), sizes

    def evaluate(self, *, watch: Stopwatch) -> Evaluation:
        """Evaluate the model on all test images as `training.evaluate` does."""
        step = self.test_step
        self.model.eval()
        watch.start()
        step.data.restart()
        for size in step.data.sizes:
            self._evaluate_step(size)
        watch.stop()
        return Evaluation(
            loss=mean_loss(list(step.losses), step.data.sizes),
            accuracy=int(step.correct.sum()) / len(step.data),
            eval_s=watch.window_s,
        )
