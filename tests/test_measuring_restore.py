import pytest
import torch
from torch import nn

from measuring.restore import restored

CPU = torch.device("cpu")
NO_SCALE = torch.amp.GradScaler("cpu", enabled=False)


def network():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Dropout(0.5))


def step(model, optimizer):
    model.train()
    model(torch.rand(5, 3)).square().mean().backward()
    optimizer.step()


def test_steps_leave_weights_buffers_and_random_numbers_as_they_were():
    model = network()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    model.eval()
    state = torch.get_rng_state()
    with restored(model, optimizer, NO_SCALE, CPU):
        step(model, optimizer)
        assert not torch.equal(model[0].weight, before["0.weight"])
    assert all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items())
    assert torch.equal(torch.get_rng_state(), state)
    assert not model.training
    assert all(weight.grad is None for weight in model.parameters())


def test_the_first_step_after_it_is_that_of_a_new_optimizer():
    after, fresh = network(), network()
    optimizers = [torch.optim.Adam(model.parameters(), lr=0.1) for model in (after, fresh)]
    with restored(after, optimizers[0], NO_SCALE, CPU):
        step(after, optimizers[0])
    for model, optimizer in zip((after, fresh), optimizers, strict=True):
        torch.manual_seed(1)
        step(model, optimizer)
    assert torch.equal(after[0].weight, fresh[0].weight)


def test_an_optimizer_that_has_taken_a_step_is_refused():
    model = network()
    optimizer = torch.optim.Adam(model.parameters())
    step(model, optimizer)
    with pytest.raises(ValueError, match="expected one that took no step"), restored(model, optimizer, NO_SCALE, CPU):
        pass


def test_the_loss_scale_starts_again_and_every_tensor_stays_in_its_place():
    model, scaler = network(), torch.amp.GradScaler("cpu")
    optimizer = torch.optim.Adam(model.parameters())
    places, scale = [tensor.data_ptr() for tensor in model.state_dict().values()], scaler.state_dict()
    with restored(model, optimizer, scaler, CPU):
        scaler.scale(torch.ones(1))
        scaler.update(new_scale=3.0)
    assert scaler.state_dict() == scale
    assert [tensor.data_ptr() for tensor in model.state_dict().values()] == places
