"""Steps that leave no trace: what must run before a training can be timed changes nothing that the training uses."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn

Snapshot = list[tuple[torch.Tensor, torch.Tensor]]


@contextmanager
def restored(
    model: nn.Module, optimizer: torch.optim.Optimizer, scaler: torch.amp.GradScaler, device: torch.device
) -> Iterator[None]:
    """Put weights, buffers, optimizer state, loss scale and random state back to what they were before.

    They are written in place, since a captured step goes on reading them where they are. The optimizer must be new:
    its state, made by the first step, starts from zeros.
    """
    if optimizer.state:
        raise ValueError("the optimizer has a state already, expected one that took no step")
    snapshot: Snapshot = [(tensor, tensor.detach().clone()) for tensor in (*model.parameters(), *model.buffers())]
    scale, training, host = scaler.state_dict(), model.training, torch.get_rng_state()
    random = torch.get_device_module(device).get_rng_state() if device.type != "cpu" else None
    yield
    with torch.no_grad():
        for tensor, before in snapshot:
            tensor.copy_(before)
        for state in optimizer.state.values():
            for tensor in filter(torch.is_tensor, state.values()):
                tensor.zero_()
    optimizer.zero_grad()
    if scale:
        scaler.load_state_dict(scale)
    model.train(training)
    torch.set_rng_state(host)
    if random is not None:
        torch.get_device_module(device).set_rng_state(random)
