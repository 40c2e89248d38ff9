"""A contender of tuned_steps.py: one peer on one model and device."""

import argparse
import importlib.metadata
import sys
from collections.abc import Callable

import torch

from measuring.cores import wanted_threads
from measuring.models import build_model
from peers import NAMES
from peers.setup import Epoch, Setup
from recipe_contender import MODELS, model_settings, occasion, random_images
from turns import Reply, answer


def epoch_of(peer: str, setup: Setup) -> Epoch:
    """Return the function that trains an epoch with a peer; ImportError without its package."""
    if peer.startswith("plain"):
        from peers import plain

        return plain.prepare(setup, workers=4 if peer == "plain_4_workers" else 0)
    if peer in ("resident_eager", "reduce_overhead"):
        from peers import resident

        return resident.prepare(setup, mode="reduce-overhead" if peer == "reduce_overhead" else None)
    if peer == "lightning":
        from peers import lightning

        return lightning.prepare(setup)
    from peers import timm

    return timm.prepare(setup)


def prepare(arguments: argparse.Namespace) -> dict[str, Callable[[], Reply]]:
    """Build the peer; return what it answers to each word."""
    torch.set_num_threads(wanted_threads("auto"))
    torch.manual_seed(0)
    images = random_images(arguments.images)
    setup = Setup(
        model=build_model(model_settings(arguments.model)),
        images=images.train_images,
        labels=images.train_labels,
        device=torch.device(arguments.device),
        steps=arguments.steps,
    )
    epoch = epoch_of(arguments.peer, setup)
    package = {"lightning": "pytorch-lightning", "timm": "timm"}.get(arguments.peer, "torch")
    about = {
        "threads": torch.get_num_threads(),
        "software": f"{package} {importlib.metadata.version(package)}",
        **occasion(setup.device),
    }
    return {"ready": lambda: about, "turn": epoch, "kernels": dict}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", choices=NAMES, required=True)
    parser.add_argument("--model", choices=MODELS, required=True)
    parser.add_argument("--device", required=True)
    parser.add_argument("--images", type=int, required=True)
    parser.add_argument("--steps", type=int, default=None)
    parsed = parser.parse_args(sys.argv[1:])
    answer(lambda: prepare(parsed))
