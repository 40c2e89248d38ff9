"""A device whose clock the test moves, and a training step on it."""

from itertools import repeat

import torch
from torch import nn

from measuring.breakdown.parts import PartTimer
from measuring.breakdown.steps import PlainStep
from measuring.timing import Stopwatch


class FakeDevice:
    """A clock that the test moves, work that the device still has to do, and a count of how often it was awaited."""

    def __init__(self):
        self.now, self.queued, self.waits = 0.0, 0.0, 0

    def clock(self):
        return self.now

    def wait(self):
        self.waits += 1
        self.now, self.queued = self.now + self.queued, 0.0

    def timer(self, **more):
        return PartTimer(wait=self.wait, clock=self.clock, **more)

    def stopwatch(self):
        return Stopwatch(
            wait=self.wait, mark=self.clock, seconds_between=lambda before, after: after - before, clock=self.clock
        )


class Slow:
    """Images or classes of four samples whose copy takes `seconds` of a fake device."""

    def __init__(self, device, seconds, values):
        self.device, self.seconds, self.values = device, seconds, values

    def __len__(self):
        return len(self.values)

    def to(self, target):
        self.device.now += self.seconds
        return self.values


class Model(nn.Module):
    """A linear model that keeps the host busy for 2 s and queues 4 s of work on a fake device."""

    def __init__(self, device):
        super().__init__()
        self.device, self.layer = device, nn.Linear(3, 2)

    def forward(self, images):
        self.device.now += 2.0
        self.device.queued += 4.0
        return self.layer(images)


def setup(device, *, wait_s=0.0, copy_s=0.0, taken=None):
    """A step of 2 s on the host and 4 s on the device, with a loader and a copy as slow as asked for."""

    def batches():
        for _ in repeat(None):
            device.now += wait_s
            if taken is not None:
                taken.append(device.now)
            yield Slow(device, copy_s, torch.ones(4, 3)), Slow(device, 0.0, torch.zeros(4, dtype=torch.int64))

    model = Model(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    return PlainStep(model=model, optimizer=optimizer, batches=batches(), device=torch.device("cpu"))
