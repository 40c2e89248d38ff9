"""timm's loader with 4 processes (normalisation on a GPU by its prefetcher) and its optimizer factory."""

from functools import partial

from timm.data import create_loader
from timm.data.transforms import ToNumpy
from timm.optim import create_optimizer_v2
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
    return partial(timed, partial(train_steps, setup, model, loader, optimizer), setup.device)
