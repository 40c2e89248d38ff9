"""The `paper` recipe in plain PyTorch, without any code of this project: a second opinion on its training times.

`python benchmarks/independent_check.py resnet18 cuda --data FOLDER_OR_NPZ --epochs 2` trains and prints one line of
JSON. `--data` is a folder with the batches of CIFAR-10 (binary or PNG), or an .npz of decoded images.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
import torch
import torchvision
from PIL import Image
from torch import nn
from torch.utils.data import DataLoader
from torchvision import transforms as T  # noqa: N812

NORMALISED = [T.ToTensor(), T.Normalize((0.49139968, 0.48215841, 0.44653091), (0.24703223, 0.24348513, 0.26158784))]
AUGMENTED = [T.RandomCrop(32, padding=4), T.RandomHorizontalFlip(), *NORMALISED]


def simple_cnn() -> nn.Module:
    layers: list[nn.Module] = []
    for inputs, outputs in [(3, 32), (32, 64), (64, 128)]:
        layers += [nn.Conv2d(inputs, outputs, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(2048, 200), nn.ReLU(), nn.Linear(200, 10))


MODELS = {"simple_cnn": simple_cnn, "resnet18": torchvision.models.resnet18, "resnet50": torchvision.models.resnet50}


def read_batches(folder: Path, names: list[str], labels_file: str) -> tuple[np.ndarray, np.ndarray]:
    """Return images (N, 32, 32, 3) and labels (N,), both uint8, of the binary or the PNG layout."""
    if (folder / f"{names[0]}.bin").exists():
        rows = np.concatenate([np.fromfile(folder / f"{name}.bin", np.uint8).reshape(-1, 3073) for name in names])
        return rows[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1), rows[:, 0]
    pixels = [np.asarray(Image.open(folder / f"{name}.png").convert("RGB")).reshape(-1, 32, 32, 3) for name in names]
    return np.concatenate(pixels), np.array(json.loads((folder / labels_file).read_text()), np.uint8)


def read(data: Path) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """Return the training and the test set, each as images and labels."""
    if data.is_file():
        arrays = np.load(data)
        return (arrays["train_images"], arrays["train_labels"]), (arrays["test_images"], arrays["test_labels"])
    train = [f"data_batch_{number}" for number in range(1, 6)]
    return read_batches(data, train, "train_lables.json"), read_batches(data, ["test_batch"], "test_lables.json")


class Pictures(torch.utils.data.Dataset):
    """PIL images, transformed when they are asked for."""

    def __init__(self, images: np.ndarray, labels: np.ndarray, steps: list) -> None:
        self.images, self.labels, self.transform = np.ascontiguousarray(images), labels, T.Compose(steps)

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        return self.transform(Image.fromarray(self.images[index])), int(self.labels[index])


def synchronise(device: str) -> None:
    if device != "cpu":
        torch.accelerator.synchronize()


def train_epoch(model: nn.Module, loader: DataLoader, optimizer: torch.optim.Optimizer, device: str) -> float:
    """Return the seconds from asking for the first batch to the device having finished the last step."""
    model.train()
    synchronise(device)
    start = time.perf_counter()
    for images, labels in loader:
        loss = nn.functional.cross_entropy(model(images.to(device)), labels.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    synchronise(device)
    return time.perf_counter() - start


@torch.no_grad()
def accuracy(model: nn.Module, loader: DataLoader, device: str) -> float:
    model.eval()
    correct = [(model(images.to(device)).argmax(1).cpu() == labels).double().sum() for images, labels in loader]
    return float(sum(correct)) / len(loader.dataset)  # type: ignore[arg-type]


def main() -> None:
    """Train as the command line says."""
    parser = argparse.ArgumentParser(description="Train once with the paper recipe and print the time.")
    parser.add_argument("model", choices=MODELS)
    parser.add_argument("device", help="cpu, cuda, ...")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--threads", type=int, help="host threads; torch's own number if left out")
    parser.add_argument("--seed", type=int, default=0)
    wanted = parser.parse_args()
    if wanted.threads:
        torch.set_num_threads(wanted.threads)
    torch.manual_seed(wanted.seed)
    train, test = read(wanted.data)
    model = MODELS[wanted.model]().to(wanted.device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=5, gamma=0.1)
    loader = DataLoader(Pictures(*train, AUGMENTED), batch_size=128, shuffle=True, num_workers=wanted.workers)
    evaluation = DataLoader(Pictures(*test, NORMALISED), batch_size=128, num_workers=wanted.workers)
    seconds = []
    for _ in range(wanted.epochs):
        seconds.append(train_epoch(model, loader, optimizer, wanted.device))
        schedule.step()
        reached = accuracy(model, evaluation, wanted.device)  # after each epoch, as a user would; not timed
    print(json.dumps({"train_s": sum(seconds), "epoch_train_s": seconds, "test_accuracy": reached}))


if __name__ == "__main__":
    main()
