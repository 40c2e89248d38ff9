"""The tuned step against the plain one, on the same batches."""

import copy
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from measuring.budget import Budget
from measuring.data import train_batches
from measuring.knobs import Knobs
from measuring.loops import build_loop, place_model
from measuring.models import build_model
from measuring.resident import EpochRows
from measuring.settings import ModelSettings
from measuring.timing import stopwatch_for
from measuring.training import train
from runs import RECIPE, SETTINGS, Unobserved, budget, built_loop, made_images

CPU = torch.device("cpu")
TUNED = {"input_pipeline": "resident", "memory_format": "channels_last", "fused_optimizer": True}
EAGER = replace(RECIPE, **TUNED, batch_size=16)
COMPILED = replace(EAGER, compile="inductor")
GRAPHED = replace(COMPILED, graph="cuda_graph")


def normalised_network():
    """A small network with batch normalisation and a residual, for which a CPU needs milliseconds."""

    class Residual(nn.Sequential):
        def forward(self, values):
            return values + super().forward(values)

    block = Residual(nn.Conv2d(8, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU())
    stem = nn.Conv2d(3, 8, 7, stride=4, bias=False), nn.BatchNorm2d(8)
    return nn.Sequential(*stem, block, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 10))


def resnet(builder):
    return build_model(ModelSettings(name=builder, builder=builder, arguments={"num_classes": 10}))


NETWORKS = {"simple_cnn": lambda: build_model(SETTINGS.model), "normalised": normalised_network}
LARGER = {**NETWORKS, "resnet18": lambda: resnet("resnet18")}
LARGEST = {**LARGER, "resnet50": lambda: resnet("resnet50")}
IMAGES = made_images(train=16 * 20 + 5)


@pytest.fixture(autouse=True)
def one_thread_and_a_new_compiler():
    """Small steps wait longer for threads than they compute; torch compiles the same code a few times only."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.compiler.reset()
    yield
    torch.set_num_threads(threads)


def prepared(recipe, device, model):
    knobs = Knobs(recipe, device)
    model = place_model(model, device, knobs)
    loop = build_loop(model=model, images=IMAGES, recipe=recipe, device=device, seed=7, knobs=knobs)
    loop.prepare(knobs, lambda part: None)
    assert knobs.inactive() == ""
    return loop


def plain_step(model, optimizer, images, labels):
    """The step of the plain loop, as `training.train_epoch` has it."""
    loss = nn.functional.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def losses_of_both(recipe, device, network, steps, dtype):
    """The losses of as many plain and tuned steps on the same batches, from the same weights."""
    torch.manual_seed(7)
    model = LARGEST[network]().to(dtype)
    plain = copy.deepcopy(model).to(device).train()
    loop = prepared(recipe, device, model)
    optimizer = torch.optim.Adam(plain.parameters(), lr=recipe.learning_rate)
    rows, data, losses = EpochRows(len(IMAGES.train_images), recipe, seed=7), loop.train_step.data, []
    model.train()
    for number in range(steps):
        if number % loop.steps == 0:
            data.restart(rows.draw())
        size = data.sizes[number % loop.steps]
        images, labels = data.batch(size)
        expected = plain_step(plain, optimizer, images.contiguous(), labels)
        place = int(data.step)
        loop.take_step(size)
        losses.append((expected, float(loop.train_step.losses[place])))
    return losses


@pytest.mark.parametrize(("network", "steps"), [("simple_cnn", 50), ("normalised", 50), ("resnet18", 25)])
def test_in_float64_the_tuned_step_loses_as_the_plain_one(network, steps):
    losses = losses_of_both(EAGER, CPU, network, steps, torch.float64)
    assert len(losses) == steps
    assert all(tuned == pytest.approx(plain, abs=1e-9) for plain, tuned in losses)


def test_in_float64_the_compiled_step_loses_as_the_plain_one():
    losses = losses_of_both(COMPILED, CPU, "normalised", 25, torch.float64)
    assert all(tuned == pytest.approx(plain, abs=1e-9) for plain, tuned in losses)


@pytest.mark.gpu
@pytest.mark.parametrize("network", LARGER)
def test_in_float64_the_captured_step_loses_as_the_plain_one_for_10_steps(network, accelerator):
    recipe = replace(GRAPHED, learning_rate=2**-10)  # on the device the rate is a float32: one that is exact there
    losses = losses_of_both(recipe, accelerator, network, 10, torch.float64)
    assert all(tuned == pytest.approx(plain, abs=1e-9) for plain, tuned in losses)


def gradient_errors(recipe, device, network, steps_before, dtype=torch.float32):
    """Relative error of every gradient of the tuned step against the plain one, after some plain steps."""
    torch.manual_seed(7)
    model = LARGEST[network]().to(dtype)
    loop = prepared(recipe, device, model)
    optimizer, data = torch.optim.Adam(model.parameters(), lr=recipe.learning_rate), loop.train_step.data
    model.train()
    data.restart(EpochRows(len(IMAGES.train_images), recipe, seed=7).draw())
    for _ in range(steps_before):
        plain_step(model, optimizer, *data.batch(16))
        data.step.add_(1)
    plain = copy.deepcopy(model).to(memory_format=torch.contiguous_format)
    images, labels = data.batch(16)
    nn.functional.cross_entropy(plain(images.contiguous()), labels).backward()
    loop.take_step(16)
    # A captured step leaves no gradients behind, but Adam's first average of them is a tenth of each.
    averages = [loop.optimizer.state[weight]["exp_avg"] for weight in model.parameters()]
    return [
        float((10 * average - other.grad).norm() / other.grad.norm())
        for average, other in zip(averages, plain.parameters(), strict=True)
    ]


FLOAT32_BOUNDS = {"simple_cnn": 1e-2, "normalised": 1e-5}
"""Where there are many activations, rounding moves one across zero in some batches; deeper networks have more."""


@pytest.mark.parametrize("steps_before", [0, 5, 15])
@pytest.mark.parametrize("network", NETWORKS)
def test_in_float32_every_gradient_is_that_of_the_plain_step(network, steps_before):
    assert max(gradient_errors(EAGER, CPU, network, steps_before)) < FLOAT32_BOUNDS[network]


@pytest.mark.parametrize("network", LARGEST)
def test_in_float64_every_gradient_is_that_of_the_plain_step(network):
    assert max(gradient_errors(EAGER, CPU, network, 0, torch.float64)) < 1e-9


@pytest.mark.gpu
@pytest.mark.parametrize("steps_before", [0, 5, 15])
@pytest.mark.parametrize("network", NETWORKS)
def test_in_float32_every_gradient_of_a_captured_step_is_that_of_the_plain_one(network, steps_before, accelerator):
    torch.backends.cudnn.conv.fp32_precision = "ieee"
    assert max(gradient_errors(GRAPHED, accelerator, network, steps_before)) < FLOAT32_BOUNDS[network]


def test_a_resident_epoch_sees_every_image_once_and_trains_the_last_smaller_batch():
    loop = built_loop(replace(RECIPE, **TUNED), images=made_images())
    watch = stopwatch_for(CPU)
    losses, sizes = loop.train_epoch(stopwatch=watch, budget=Budget.endless())
    assert sizes == [10] * 10 + [5]
    assert len(losses) == loop.steps == len(watch.step_s()) == 11
    assert sorted(loop.train_step.data.rows[:, 0].tolist()) == list(range(105))


def test_every_resident_epoch_takes_the_loaders_batches():
    images = replace(made_images(), train_labels=np.arange(105))
    loader, loop = train_batches(images, RECIPE, seed=7), built_loop(replace(RECIPE, **TUNED), images=made_images())
    for _ in range(3):
        loop.train_epoch(stopwatch=stopwatch_for(CPU), budget=Budget.endless())
        order = [label for _, labels in loader for label in labels.tolist()]
        assert loop.train_step.data.rows[:, 0].tolist() == order


def test_a_resident_evaluation_is_that_of_the_plain_loop():
    plain = built_loop(RECIPE, images=IMAGES)
    resident = built_loop(replace(RECIPE, **TUNED, batch_size=16), images=IMAGES)
    expected, got = (loop.evaluate(watch=stopwatch_for(CPU)) for loop in (plain, resident))
    assert got.accuracy == expected.accuracy
    assert got.loss == pytest.approx(expected.loss, rel=1e-6)


def trained(recipe, device=CPU):
    epochs = train(
        loop=built_loop(recipe, images=IMAGES, device=device.type),
        recipe=recipe,
        budget=Budget.endless(),
        new_stopwatch=lambda: stopwatch_for(device),
        observer=Unobserved(),
    )
    return [(epoch.train_loss, epoch.test_loss, epoch.learning_rate) for epoch in epochs]


def test_a_budget_ends_a_resident_epoch():
    recipe = replace(RECIPE, **TUNED)
    loop = built_loop(recipe, images=IMAGES)
    (epoch,) = train(
        loop=loop,
        recipe=recipe,
        budget=budget(1e-9, recipe, len(IMAGES.train_images)),
        new_stopwatch=lambda: stopwatch_for(CPU),
        observer=Unobserved(),
    )
    assert (epoch.steps, epoch.eval_s) == (10, None)


@pytest.mark.gpu
def test_a_captured_training_follows_the_schedule_and_learns_like_the_plain_one(accelerator):
    torch.backends.cudnn.conv.fp32_precision = "ieee"
    recipe = replace(RECIPE, lr_step_size=1, lr_gamma=0.1, epochs=3, crop_padding=0, horizontal_flip=False)
    tuned = replace(recipe, **TUNED, compile="inductor", graph="cuda_graph")
    plain, captured = trained(recipe, accelerator), trained(tuned, accelerator)
    assert [epoch[2] for epoch in captured] == pytest.approx([1e-3, 1e-4, 1e-5])
    for expected, got in zip(plain, captured, strict=True):
        assert got[:2] == pytest.approx(expected[:2], rel=0.1)  # rounding grows over many float32 steps


@pytest.mark.gpu
@pytest.mark.parametrize("precision", ["bf16", "fp16"])
def test_reduced_precision_is_captured_and_learns(precision, accelerator):
    recipe = replace(RECIPE, **TUNED, compile="inductor", graph="cuda_graph", precision=precision, epochs=4)
    losses = [epoch[0] for epoch in trained(recipe, accelerator)]
    assert losses[-1] < losses[0]


def test_bf16_learns_on_a_cpu():
    losses = [epoch[0] for epoch in trained(replace(RECIPE, **TUNED, precision="bf16", epochs=3))]
    assert losses[-1] < losses[0]


@pytest.mark.parametrize("recipe", [EAGER, COMPILED], ids=["eager", "compiled"])
def test_preparing_leaves_weights_optimizer_and_random_state_as_they_were(recipe):
    torch.manual_seed(7)
    model = normalised_network()
    before, random = copy.deepcopy(model.state_dict()), torch.get_rng_state()
    loop = prepared(recipe, CPU, model)
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    assert torch.equal(torch.get_rng_state(), random)
    assert all(not value.any() for state in loop.optimizer.state.values() for value in state.values())
    assert int(loop.train_step.data.step) == 0


@pytest.mark.gpu
def test_capturing_leaves_weights_optimizer_and_random_state_as_they_were(accelerator):
    torch.manual_seed(7)
    model = resnet("resnet18").to(accelerator)
    before, random = copy.deepcopy(model.state_dict()), torch.cuda.get_rng_state()
    loop = prepared(GRAPHED, accelerator, model)
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    assert torch.equal(torch.cuda.get_rng_state(), random)
    assert loop.optimizer.state and all(
        not value.any() for state in loop.optimizer.state.values() for value in state.values()
    )


def test_a_compiler_that_fails_is_given_up_and_the_reason_kept(monkeypatch):
    def broken(*arguments, **options):
        def fail(size):
            raise RuntimeError("no compiler found\nsecond line")

        return fail

    monkeypatch.setattr(torch, "compile", broken)
    knobs = Knobs(COMPILED, CPU)
    model = build_model(SETTINGS.model)
    loop = build_loop(model=model, images=IMAGES, recipe=COMPILED, device=CPU, seed=7, knobs=knobs)
    loop.prepare(knobs, lambda part: None)
    assert knobs.describe()["compile"] == {"active": False, "reason": "no compiler found"}
    loop.take_step(16)
    assert float(loop.train_step.losses[0]) > 0
