"""The settings of one run, as planned, executed and recorded. Imports nothing heavy."""

import json
from dataclasses import asdict, dataclass
from typing import Any, Literal


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Everything held constant between the devices."""

    name: str
    dataset: str
    epochs: int
    """Passes over the training images."""
    batch_size: int
    """Images per step; the last step of an epoch takes what is left."""
    optimizer: Literal["adam", "adamw", "sgd"]
    learning_rate: float
    lr_step_size: int
    """Epochs between two cuts of the learning rate (StepLR)."""
    lr_gamma: float
    """Factor of each cut."""
    crop_padding: int
    """Pixels of zero padding before a random crop; 0: no crop."""
    horizontal_flip: bool
    input_pipeline: Literal["loader", "resident"]
    """loader: torch's DataLoader with PIL images; resident: all images on the device, augmented there as a batch."""
    loader_workers: int
    """Loader processes; 0: the training process loads. Without effect on resident images."""
    precision: Literal["default", "ieee_fp32", "bf16", "fp16"]
    memory_format: Literal["contiguous", "channels_last"]
    fused_optimizer: bool
    """One kernel for the update of many weights, where torch has one."""
    flush_denormals: bool
    """Count numbers below 1.2e-38 as zero on a CPU, where they are slow."""
    retain_host_memory: bool
    """Keep freed memory in the process instead of giving it back to the system at every step of a CPU."""
    compile: Literal["none", "inductor_gpu", "inductor"]
    """torch.compile of augmentation, model and loss: not at all, on accelerators alone, or on a CPU too."""
    graph: Literal["none", "cuda_graph"]
    """cuda_graph: the whole step is one CUDA graph, from the images to the optimizer."""


@dataclass(frozen=True, kw_only=True)
class ModelSettings:
    """A builder (one of ours, or a torchvision classification builder) and its keyword arguments."""

    name: str
    builder: str
    arguments: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class DeviceSettings:
    """Where to train."""

    name: str
    type: Literal["cpu", "cuda", "xpu", "mps"]
    gpus: int
    threads: int | Literal["auto"]
    """Host threads; auto: one for each physical core available to the process."""
    budget_s: float | None
    """Seconds of training after which the run ends; None: train all epochs."""
    target_half_width: float | None
    """Share of the projected time: a run with a budget ends as soon as its prediction interval is this narrow."""


@dataclass(frozen=True, kw_only=True)
class DatasetSettings:
    """Which images, by content."""

    name: str
    type: Literal["cifar10", "synthetic"]
    content: str
    """Hash of what the images must be."""


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """All that a record depends on, besides the repeat and the code."""

    recipe: Recipe
    model: ModelSettings
    device: DeviceSettings
    dataset: DatasetSettings
    seed: int
    """Repeat r runs with seed + r, on every device."""

    def to_json(self) -> str:
        """Return the settings as one line of JSON with sorted keys."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> "RunSettings":
        """Return the settings that `to_json` wrote."""
        values = json.loads(text)
        return cls(
            recipe=Recipe(**values["recipe"]),
            model=ModelSettings(**values["model"]),
            device=DeviceSettings(**values["device"]),
            dataset=DatasetSettings(**values["dataset"]),
            seed=values["seed"],
        )
