"""measuring.plain_loop: the loop of a tutorial, against the same training written out here."""

from dataclasses import replace

import pytest
import torch
from torch import nn

from measuring.budget import Budget
from measuring.data import test_batches as batches_of_test
from measuring.data import train_batches
from measuring.knobs import Knobs
from measuring.models import build_model
from measuring.plain_loop import PlainLoop
from measuring.timing import stopwatch_for
from runs import RECIPE, SETTINGS, budget, made_images

CPU = torch.device("cpu")
IMAGES = made_images()


def loop_of(model, optimizer):
    return PlainLoop(
        model=model,
        train_batches=train_batches(IMAGES, RECIPE, seed=7),
        test_batches=batches_of_test(IMAGES, RECIPE),
        optimizer=optimizer,
        device=CPU,
    )


def model_and_optimizer():
    torch.manual_seed(7)
    model = build_model(SETTINGS.model)
    return model, torch.optim.Adam(model.parameters(), lr=RECIPE.learning_rate)


def state_of(model):
    return {name: value.clone() for name, value in model.state_dict().items()}


def test_an_epoch_changes_the_weights_as_the_steps_of_a_tutorial_do():
    expected, expected_optimizer = model_and_optimizer()
    expected_losses = []
    for images, labels in train_batches(IMAGES, RECIPE, seed=7):
        loss = nn.functional.cross_entropy(expected(images), labels)
        expected_optimizer.zero_grad()
        loss.backward()
        expected_optimizer.step()
        expected_losses.append(loss.item())
    model, optimizer = model_and_optimizer()
    losses, sizes = loop_of(model, optimizer).train_epoch(stopwatch=stopwatch_for(CPU), budget=Budget.endless())
    assert sizes == [10] * 10 + [5]
    assert [loss.item() for loss in losses] == expected_losses
    assert all(torch.equal(value, expected.state_dict()[name]) for name, value in model.state_dict().items())


def test_every_step_has_a_lap_inside_the_window():
    watch = stopwatch_for(CPU)
    loop_of(*model_and_optimizer()).train_epoch(stopwatch=watch, budget=Budget.endless())
    assert len(watch.step_s()) == 11
    assert watch.window_s >= sum(watch.step_s())


def test_a_budget_ends_the_epoch():
    watch = stopwatch_for(CPU)
    losses, sizes = loop_of(*model_and_optimizer()).train_epoch(stopwatch=watch, budget=budget(1e-9, RECIPE, 105))
    assert len(losses) == len(sizes) == 10  # the fewest that a budget leaves


def test_evaluation_is_that_of_all_test_images_without_training():
    model, optimizer = model_and_optimizer()
    before = state_of(model)
    found = loop_of(model, optimizer).evaluate(watch=stopwatch_for(CPU))
    with torch.no_grad():
        batches = list(batches_of_test(IMAGES, RECIPE))
        outputs = model.eval()(torch.cat([images for images, _ in batches]))
        labels = torch.cat([labels for _, labels in batches])
    assert len(labels) == 20
    assert found.accuracy == pytest.approx(float((outputs.argmax(dim=1) == labels).float().mean()))
    assert found.loss == pytest.approx(nn.functional.cross_entropy(outputs, labels).item(), rel=1e-5)
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())


def test_nothing_is_prepared_before_the_clock():
    model, optimizer = model_and_optimizer()
    before, random, parts = state_of(model), torch.get_rng_state(), []
    recipe = replace(RECIPE, input_pipeline="loader")
    loop_of(model, optimizer).prepare(Knobs(recipe, CPU), parts.append)
    assert parts == []
    assert torch.equal(torch.get_rng_state(), random) and optimizer.state == {}
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
