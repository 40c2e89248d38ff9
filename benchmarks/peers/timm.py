"""timm's loader with 4 processes (normalisation on a GPU by its prefetcher) and its optimizer factory."""

from functools import partial
from itertools import islice

from timm.data import create_loader
from timm.data.transforms import ToNumpy
from timm.optim import create_optimizer_v2
from torch import nn
from torchvision import transforms

from peers.setup import BATCH_SIZE, LEARNING_RATE, MEAN, STD, Epoch, PilDataset, Setup, augmentations, tensors, timed


def prepare(setup: Setup) -> Epoch:
    """Return a function that trains one epoch as timm's training script does with its default settings."""
    prefetch = setup.device.type == "cuda"
    dataset = PilDataset(setup.images, setup.labels, transforms.ToTensor())
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
    # Its own transform crops and scales at random; ours is that of the other peers.
    dataset.transform = transforms.Compose([*augmentations(), ToNumpy()]) if prefetch else tensors(setup).transform
    model = setup.model.to(setup.device).train()
    optimizer = create_optimizer_v2(model, opt="adam", lr=LEARNING_RATE, weight_decay=0.0)

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
