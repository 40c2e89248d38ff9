"""measuring.resident_steps: one step on resident images; test_measuring_resident_loop.py has whole trainings."""

from dataclasses import replace

import pytest
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from measuring.models import build_model
from measuring.resident import ResidentImages
from measuring.resident_steps import EvaluationStep, TrainStep
from runs import RECIPE, SETTINGS, made_images

CPU = torch.device("cpu")
IMAGES = made_images()


def network():
    torch.manual_seed(7)
    return build_model(SETTINGS.model)


def resident(images, labels, recipe):
    return ResidentImages(images, labels, recipe, CPU, torch.float32)


def train_step(recipe=RECIPE, rate=0.1):
    model = network().train()
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    return TrainStep(model, optimizer, resident(IMAGES.train_images, IMAGES.train_labels, recipe), recipe)


def evaluation_step(recipe=RECIPE):
    return EvaluationStep(network().eval(), resident(IMAGES.test_images, IMAGES.test_labels, recipe), recipe)


def weights(step):
    return [weight.detach().clone() for weight in step.model.parameters()]


def gradients(step, images, labels):
    """The gradients of the mean loss, computed apart."""
    loss = nn.functional.cross_entropy(step.model(images), labels)
    return torch.autograd.grad(loss, list(step.model.parameters()))


def test_a_step_moves_the_weights_down_the_gradient_of_its_own_batch_alone():
    step = train_step()
    for _ in range(2):  # the second one must not see the gradients of the first
        before, slopes = weights(step), gradients(step, *step.data.batch(10))
        step(10)
        for old, slope, new in zip(before, slopes, weights(step), strict=True):
            assert torch.allclose(new, old - 0.1 * slope, atol=1e-6)


def test_each_loss_is_kept_at_the_place_of_its_step_and_is_that_before_the_update():
    step, expected = train_step(), []
    for size in step.data.sizes:
        images, labels = step.data.batch(size)
        expected.append(nn.functional.cross_entropy(step.model(images), labels).item())
        step(size)
    assert step.data.sizes[-1] == 5 and len(step.losses) == 11
    assert step.losses.tolist() == pytest.approx(expected, rel=1e-5)
    assert int(step.data.step) == 11
    assert not step.losses.requires_grad


def test_a_compiled_pass_takes_full_batches_alone():
    step, taken = train_step(), []

    def compiled(size):
        taken.append(size)
        return step.forward(size)

    step.full_forward = compiled
    for size in step.data.sizes:
        step(size)
    assert taken == [10] * 10


def test_in_bf16_the_network_computes_in_bf16_and_the_weights_stay_float32():
    step, seen = train_step(replace(RECIPE, precision="bf16")), []
    step.model.register_forward_hook(lambda module, inputs, output: seen.append(output.dtype))
    step(10)
    assert seen == [torch.bfloat16]
    assert {weight.dtype for weight in step.model.parameters()} == {torch.float32}
    assert step.losses.dtype == torch.float32


def test_in_fp16_the_loss_is_scaled_and_the_step_takes_the_scale_back():
    plain, scaled = train_step(), train_step()
    scaled.scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    for step in (plain, scaled):
        step(10)
    assert all(
        torch.allclose(one, other, atol=1e-6) for one, other in zip(weights(plain), weights(scaled), strict=True)
    )
    loss = scaled.forward(10)
    scaled.backward(loss)
    (slope, *_) = gradients(scaled, *scaled.data.batch(10))
    (kept, *_) = (weight.grad for weight in scaled.model.parameters())
    assert torch.allclose(kept, 1024 * slope, rtol=1e-3, atol=1e-3)
    assert not train_step().scaler.is_enabled() and train_step(replace(RECIPE, precision="fp16")).scaler.is_enabled()


def test_an_evaluation_keeps_loss_and_right_answers_of_each_step_and_no_gradient():
    step = evaluation_step(replace(RECIPE, batch_size=8))
    before = weights(step)
    for size in step.data.sizes:
        step(size)
    step.data.restart()
    for place, size in enumerate((8, 8, 4)):
        images, labels = step.data.batch(size)
        outputs = step.model(images)
        assert float(step.losses[place]) == pytest.approx(nn.functional.cross_entropy(outputs, labels).item(), rel=1e-5)
        assert int(step.correct[place]) == int((outputs.argmax(dim=1) == labels).sum())
        step.data.step.add_(1)
    assert not step.losses.requires_grad and all(weight.grad is None for weight in step.model.parameters())
    assert all(torch.equal(old, new) for old, new in zip(before, weights(step), strict=True))


class HostReads(TorchDispatchMode):
    """Counts what a captured step must not do: bring a number to the device, or read one from it."""

    def __init__(self):
        super().__init__()
        self.found = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func.overloadpacket.__name__ in ("lift_fresh", "_local_scalar_dense"):
            self.found.append(func.name())
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("precision", ["default", "bf16"])
def test_a_step_neither_reads_nor_brings_a_host_value(precision):
    recipe = replace(RECIPE, precision=precision, memory_format="channels_last")
    training, evaluation = train_step(recipe), evaluation_step(recipe)
    training(10)
    with HostReads() as reads:
        training(10)
        training(5)
        evaluation(10)
    assert reads.found == []
    with HostReads() as reads:
        training.losses[0].item()
    assert reads.found
