"""Images on the device, channels_last and fused Adam: eager, or with torch.compile's `reduce-overhead`.

The last, smaller batch of an epoch goes through the model as it is: compiled for a changing batch size, torch 2.11.0
fails on ResNet18 (inductor expects other strides of a gradient than cuDNN returns).
"""

from functools import partial
from itertools import islice
from typing import Any

import torch
from torch import nn

from peers.setup import BATCH_SIZE, LEARNING_RATE, MEAN, STD, Epoch, Setup, timed

WARM_UP_STEPS = 3
"""Steps in which torch compiles and records its graphs, while nothing is timed yet."""


def prepare(setup: Setup, mode: str | None) -> Epoch:
    """Return a function that trains one epoch; `mode`: of torch.compile, None: not compiled."""
    device = setup.device
    pixels = torch.from_numpy(setup.images).to(device).permute(0, 3, 1, 2) / 255
    normalised = (pixels - _column(MEAN, device)) / _column(STD, device)
    padded = nn.functional.pad(normalised, (4, 4, 4, 4))
    labels = torch.from_numpy(setup.labels).to(device)
    plain = setup.model.to(device, memory_format=torch.channels_last).train()  # type: ignore[call-overload]
    model: Any = torch.compile(plain, mode=mode) if mode else plain
    optimizer = torch.optim.Adam(plain.parameters(), lr=LEARNING_RATE, fused=True)

    def train(steps: int | None) -> int:
        count = 0
        for rows in islice(torch.randperm(len(labels), device=device).split(BATCH_SIZE), steps):
            network = model if len(rows) == BATCH_SIZE else plain
            loss = nn.functional.cross_entropy(network(augmented(padded, rows)), labels[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            count += 1
        return count

    train(WARM_UP_STEPS if mode else 0)
    return partial(timed, partial(train, setup.steps), device)


def augmented(padded: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """Return the images of these rows, each cropped and flipped at random, channels last."""
    corners = torch.randint(9, (2, len(rows), 1), device=rows.device)
    y, x = corners + torch.arange(32, device=rows.device)
    x = torch.where(torch.rand(len(rows), 1, device=rows.device) < 0.5, x.flip(1), x)
    images = padded.permute(0, 2, 3, 1)[rows[:, None, None], y[:, :, None], x[:, None, :]]
    return images.permute(0, 3, 1, 2)


def _column(values: tuple[float, ...], device: torch.device) -> torch.Tensor:
    return torch.tensor(values, device=device)[:, None, None]
