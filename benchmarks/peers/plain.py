"""The loop of a tutorial with torch's DataLoader."""

from functools import partial

import torch
from torch import nn
from torch.utils.data import DataLoader

from peers.setup import BATCH_SIZE, LEARNING_RATE, Epoch, Setup, tensors, timed, train_steps


def prepare(setup: Setup, workers: int) -> Epoch:
    """Return a function that trains one epoch with so many loader processes."""
    loader = DataLoader(tensors(setup), batch_size=BATCH_SIZE, shuffle=True, num_workers=workers)
    model = setup.model.to(setup.device).train()
    optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)

    def loss_of(images: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return nn.functional.cross_entropy(model(images), labels)

    return partial(timed, partial(train_steps, setup, loss_of, loader, optimizer), setup.device)
