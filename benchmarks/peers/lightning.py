"""PyTorch Lightning's Trainer with 4 loader processes."""

import logging
import time
from typing import Any

import pytorch_lightning
import torch
from torch import nn
from torch.utils.data import DataLoader

from peers.setup import BATCH_SIZE, LEARNING_RATE, Epoch, Setup, synchronise, tensors


class Module(pytorch_lightning.LightningModule):
    """The network with its loss and optimizer."""

    def __init__(self, network: nn.Module) -> None:
        """Keep the network."""
        super().__init__()
        self.network = network

    def training_step(self, batch: Any, index: int) -> torch.Tensor:
        """Return the loss of a batch."""
        images, labels = batch
        return nn.functional.cross_entropy(self.network(images), labels)

    def configure_optimizers(self) -> torch.optim.Optimizer:
        """Return Adam."""
        return torch.optim.Adam(self.parameters(), lr=LEARNING_RATE)


class Clock(pytorch_lightning.Callback):
    """Times the training between its first and its last hook."""

    def __init__(self, device: torch.device) -> None:
        """Nothing has run yet."""
        self.device, self.started, self.train_s = device, 0.0, 0.0

    def on_train_start(self, trainer: Any, module: Any) -> None:
        """Start."""
        synchronise(self.device)
        self.started = time.perf_counter()

    def on_train_end(self, trainer: Any, module: Any) -> None:
        """Stop."""
        synchronise(self.device)
        self.train_s = time.perf_counter() - self.started


def prepare(setup: Setup) -> Epoch:
    """Return a function that trains one epoch."""
    logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
    module = Module(setup.model)
    loader = DataLoader(tensors(setup), batch_size=BATCH_SIZE, shuffle=True, num_workers=4)

    def epoch() -> dict[str, Any]:
        clock = Clock(setup.device)
        trainer = pytorch_lightning.Trainer(
            max_epochs=1,
            limit_train_batches=setup.steps or 1.0,
            accelerator="cpu" if setup.device.type == "cpu" else "gpu",
            devices=1,
            logger=False,
            callbacks=[clock],
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
        )
        trainer.fit(module, loader)
        return {"train_s": clock.train_s, "steps": trainer.global_step, "eval_s": None}

    return epoch
