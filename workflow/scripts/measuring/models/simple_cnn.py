"""The study's small network as far as it is described: three convolutions and two fully connected layers."""

from torch import nn

HIDDEN = 200  # gives 505,058 parameters with 10 classes; the study says about 0.5 million


def build(builder: str, *, num_classes: int) -> nn.Module:
    """Return the network for images of shape (N, 3, 32, 32); its output has shape (N, num_classes)."""
    return nn.Sequential(
        *_block(3, 32),
        *_block(32, 64),
        *_block(64, 128),
        nn.Flatten(),
        nn.Linear(128 * 4 * 4, HIDDEN),
        nn.ReLU(),
        nn.Linear(HIDDEN, num_classes),
    )


def _block(inputs: int, outputs: int) -> tuple[nn.Module, ...]:
    return nn.Conv2d(inputs, outputs, kernel_size=3, padding=1), nn.ReLU(), nn.MaxPool2d(2)
