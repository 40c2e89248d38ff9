"""Each adapter trains the same tiny network on 300 images, black ones of class 0 and white ones of class 1."""

import numpy as np
import pytest
import torch
from peer_contender import epoch_of
from torch import nn

from peers import NAMES
from peers.setup import LEARNING_RATE, Setup

PACKAGES = {"lightning": "pytorch_lightning", "timm": "timm"}
LABELS = np.tile([0, 1], 150)
IMAGES = np.where(LABELS == 1, 255, 0).astype(np.uint8)[:, None, None, None] * np.ones((1, 32, 32, 3), np.uint8)
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
MARGIN = 8
"""Pixels of the edge that the random crop may reach."""


class Tiny(nn.Module):
    """The mean of the middle through one linear layer that begins at zero; counts its images."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 2, bias=False)
        nn.init.zeros_(self.linear.weight)
        self.register_buffer("seen", torch.zeros((), dtype=torch.int64))

    def forward(self, images):
        self.seen += len(images)
        return self.linear(images[:, :, MARGIN:-MARGIN, MARGIN:-MARGIN].mean((2, 3)))


@pytest.fixture(params=NAMES)
def peer(request, monkeypatch):
    """A peer; what needs torch.compile gets its eager backend, which is quick and leaves the rest as it is."""
    if request.param in PACKAGES:
        pytest.importorskip(PACKAGES[request.param], reason="see requirements-peers.txt")
    compiled = torch.compile
    monkeypatch.setattr(torch, "compile", lambda model, mode: compiled(model, backend="eager"))
    return request.param


def trained(peer, steps):
    model = Tiny()
    setup = Setup(model=model, images=IMAGES, labels=LABELS, device=DEVICE, steps=steps)
    epoch = epoch_of(peer, setup)
    before = int(model.seen)
    return model, epoch(), int(model.seen) - before


def test_a_peer_trains_on_every_image_of_an_epoch_the_incomplete_last_batch_too(peer):
    _, answer, images = trained(peer, steps=None)
    assert (answer["steps"], images) == (3, 300)
    assert answer["train_s"] > 0 and answer["eval_s"] is None


def test_a_peer_ends_an_epoch_after_the_steps_asked_for(peer):
    _, answer, images = trained(peer, steps=2)
    assert (answer["steps"], images) == (2, 256)


def test_a_peer_takes_steps_of_adam_towards_the_labels_of_its_images(peer):
    model, answer, _ = trained(peer, steps=None)
    taken = answer["steps"] + (3 if peer == "reduce_overhead" else 0)  # its steps of warm-up
    expected = taken * LEARNING_RATE * torch.tensor([[-1.0] * 3, [1.0] * 3])  # the sign alone counts while it is steady
    torch.testing.assert_close(model.linear.weight.detach().cpu(), expected, rtol=0.05, atol=0)


def test_a_peer_gets_normalised_images(peer):
    seen = []
    model = Tiny()
    model.linear.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0].detach()))
    setup = Setup(model=model, images=IMAGES, labels=LABELS, device=DEVICE, steps=1)
    epoch_of(peer, setup)()
    blue = sorted({round(float(value), 3) for value in seen[0][:, 2]})
    assert blue == pytest.approx([-0.4465 / 0.2616, (1 - 0.4465) / 0.2616], abs=0.002)
