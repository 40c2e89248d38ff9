import math
from dataclasses import replace
from itertools import count

import pytest
import torch

from measuring.budget import Budget
from measuring.models import build_model
from measuring.outcome import DivergedError
from measuring.timing import Stopwatch, stopwatch_for
from measuring.training import mean_loss, train
from runs import RECIPE, SETTINGS, Unobserved, budget, built_loop, made_images

CPU = torch.device("cpu")


def ticking_stopwatch():
    """A stopwatch whose clock moves one second each time it is read: by a step's mark, and by its budget check."""
    ticks = count()
    return Stopwatch(
        wait=lambda: None,
        mark=lambda: float(next(ticks)),
        seconds_between=lambda before, after: after - before,
        clock=lambda: float(next(ticks)),
    )


def trained(recipe=RECIPE, limit=None, images=None, model=None, new_stopwatch=lambda: stopwatch_for(CPU)):
    return list(
        train(
            loop=built_loop(recipe, images=images or made_images(), model=model),
            recipe=recipe,
            budget=limit or Budget.endless(),
            new_stopwatch=new_stopwatch,
            observer=Unobserved(),
        )
    )


def test_every_image_is_seen_once_an_epoch_and_the_last_step_takes_the_rest():
    epochs = trained()
    assert [epoch.epoch for epoch in epochs] == [1, 2, 3]
    assert all(epoch.images == 105 and epoch.steps == 11 for epoch in epochs)
    assert epochs[0].step_images == [10] * 10 + [5]
    assert all(len(epoch.step_s) == 11 for epoch in epochs)


def test_the_rate_is_cut_after_the_configured_number_of_epochs():
    epochs = trained(replace(RECIPE, epochs=5, lr_step_size=2, lr_gamma=0.1))
    assert [epoch.learning_rate for epoch in epochs] == pytest.approx([1e-3, 1e-3, 1e-4, 1e-4, 1e-5])


def test_it_learns():
    epochs = trained(replace(RECIPE, epochs=12, crop_padding=0), images=made_images(train=400, test=100))
    assert epochs[-1].test_accuracy > 0.5 > epochs[0].test_accuracy - 0.3
    assert epochs[-1].train_loss < epochs[0].train_loss


def test_the_same_seed_gives_the_same_training():
    first, second = trained(), trained()
    assert [epoch.train_loss for epoch in first] == [epoch.train_loss for epoch in second]


def test_a_budget_ends_the_epoch_and_leaves_it_unevaluated():
    epochs = trained(limit=budget(31.0, RECIPE, 105), new_stopwatch=ticking_stopwatch)
    # start 0, mark 1, first batch 2, then two ticks a step: mark and budget check, which reads 4, 6, ...; an epoch has
    # 11 steps: its window is 2 * 11 + 4 = 26 s, which leaves 5 s and two steps to the second one.
    assert [epoch.steps for epoch in epochs] == [11, 2]
    assert epochs[0].eval_s is not None
    assert (epochs[1].eval_s, epochs[1].test_loss, epochs[1].test_accuracy) == (None, None, None)


def test_a_budget_never_ends_a_run_before_its_tenth_step():
    epochs = trained(limit=budget(1e-9, RECIPE, 105))
    assert [epoch.steps for epoch in epochs] == [10]


def test_a_budget_that_ends_with_an_epoch_starts_no_other():
    epochs = trained(limit=budget(26.0, RECIPE, 105), new_stopwatch=ticking_stopwatch)
    assert [epoch.steps for epoch in epochs] == [11]
    assert epochs[0].test_accuracy is not None


def test_evaluation_lies_outside_the_training_clock():
    class SlowInEvaluation(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.network, self.ticks = build_model(SETTINGS.model), 0.0

        def forward(self, images):
            self.ticks += 1.0 if self.training else 1000.0
            return self.network(images)

    model = SlowInEvaluation()

    def new_stopwatch():
        return Stopwatch(
            wait=lambda: None,
            mark=lambda: model.ticks,
            seconds_between=lambda before, after: after - before,
            clock=lambda: model.ticks,
        )

    (epoch,) = trained(replace(RECIPE, epochs=1), model=model, new_stopwatch=new_stopwatch)
    assert epoch.train_s == 11.0
    assert epoch.eval_s == 2000.0  # 20 test images in batches of 10


def test_a_loss_that_is_not_finite_ends_the_run():
    with pytest.raises(DivergedError, match="mean loss of epoch 1 is"):
        trained(replace(RECIPE, optimizer="sgd", learning_rate=1e30))


def test_a_test_loss_that_is_not_finite_ends_the_run():
    class BreaksInEvaluation(torch.nn.Sequential):
        def forward(self, images):
            return super().forward(images) if self.training else super().forward(images) * math.nan

    with pytest.raises(DivergedError, match="the test loss after epoch 1 is nan"):
        trained(model=BreaksInEvaluation(*build_model(SETTINGS.model)))


def test_the_mean_loss_weighs_steps_by_their_images():
    assert mean_loss([torch.tensor(1.0), torch.tensor(4.0)], [10, 5]) == pytest.approx(2.0)
    assert math.isnan(mean_loss([torch.tensor(math.nan)], [1]))


@pytest.mark.gpu
def test_both_devices_start_from_the_same_weights_and_lose_alike(accelerator):
    torch.backends.cudnn.conv.fp32_precision = "ieee"
    images, losses = made_images(), []
    for device in (CPU, accelerator):
        (epoch, *_) = train(
            loop=built_loop(RECIPE, images=images, device=device.type),
            recipe=replace(RECIPE, epochs=1),
            budget=Budget.endless(),
            new_stopwatch=lambda device=device: stopwatch_for(device),
            observer=Unobserved(),
        )
        losses.append(epoch.train_loss)
    assert losses[0] == pytest.approx(losses[1], rel=1e-3)
