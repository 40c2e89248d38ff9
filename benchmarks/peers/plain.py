"""The loop of a tutorial with torch's DataLoader."""

from functools import partial
from itertools import islice

import torch
from torch import nn
from torch.utils.data import DataLoader

from peers.setup import BATCH_SIZE, LEARNING_RATE, Epoch, Setup, tensors, timed


def prepare(setup: Setup, workers: int) -> Epoch:
    """Return a function that trains one epoch with so many loader processes."""
    loader = DataLoader(tensors(setup), batch_size=BATCH_SIZE, shuffle=True, num_workers=workers)
    model = setup.model.to(setup.device).train()
    optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)

    def epoch() -> int:
        count = 0
        for images, labels in islice(loader, setup.steps):
            loss = nn.functional.cross_entropy(model(images.to(setup.device)), labels.to(setup.device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            count += 1
        return count

    return partial(timed, epoch, setup.device)
