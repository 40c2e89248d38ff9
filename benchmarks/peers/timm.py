"""timm's loader with 4 processes (on a GPU its prefetcher normalises), its classification task and its optimizer.

timm's own epoch is a function of its training script, which its package does not hold: the lines around the task, from
the loss back to the step of the optimizer, are those of the plain loop here.
"""

from functools import partial
from typing import Any

import torch
from timm.data import create_loader
from timm.data.transforms import ToNumpy
from timm.optim import create_optimizer_v2
from timm.task import ClassificationTask
from torch import nn
from torchvision import transforms

from peers.setup import (
    BATCH_SIZE,
    LEARNING_RATE,
    MEAN,
    STD,
    Epoch,
    PilDataset,
    Setup,
    augmentations,
    tensors,
    timed,
    train_steps,
)


def prepare(setup: Setup) -> Epoch:
    """Return a function that trains one epoch."""
    prefetch = setup.device.type == "cuda"
    dataset: Any = PilDataset(setup.images, setup.labels, transforms.ToTensor())
    loader = create_loader(
        dataset,
        input_size=(3, 32, 32),
        batch_size=BATCH_SIZE,
        is_training=True,
        use_prefetcher=prefetch,
        mean=MEAN,
        std=STD,
        num_workers=4,
        device=setup.device,
    )
    # It leaves out an incomplete last batch when it trains; the other peers train on it.
    (loader.loader if prefetch else loader).batch_sampler.drop_last = False
    # Its own transform crops and scales at random; ours is that of the other peers.
    dataset.transform = transforms.Compose([*augmentations(), ToNumpy()]) if prefetch else tensors(setup).transform
    model = setup.model.to(setup.device).train()
    optimizer = create_optimizer_v2(model, opt="adam", lr=LEARNING_RATE, weight_decay=0.0)
    # The loss that it chooses by itself from 1.0.31 on; before, it has to be told.
    task = ClassificationTask(model, nn.CrossEntropyLoss(), device=setup.device, verbose=False).train()

    def loss_of(images: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return task(images, labels)["loss"]

    return partial(timed, partial(train_steps, setup, loss_of, loader, optimizer), setup.device)
