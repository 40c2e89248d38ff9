"""The arithmetic of a run: set as the recipe asks, then read back, so that a record names it truly."""

import os
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from measuring.refusal import RefusedError
from measuring.settings import Recipe

OVERRIDE = "NVIDIA_TF32_OVERRIDE"


@dataclass(frozen=True, kw_only=True)
class Numerics:
    """The precision asked for, and whether products and convolutions may use TF32 (None: the device has no TF32)."""

    precision: str
    matmul_tf32: bool | None
    convolution_tf32: bool | None
    memory_format: str | None = None
    """Of the weights and so of the images in between; None: the run did not get as far as a model."""

    @classmethod
    def unknown(cls, precision: str) -> "Numerics":
        """Return the numerics of a device without TF32, or of a run that did not get that far."""
        return cls(precision=precision, matmul_tf32=None, convolution_tf32=None)


def set_precision(recipe: Recipe, device: torch.device) -> Numerics:
    """Turn TF32 off for `ieee_fp32`, leave torch's choice for `default`, and return what torch reads back.

    Raises RefusedError when a variable of NVIDIA's libraries overrules torch, so that nothing read back would be true.
    """
    if device.type != "cuda":
        return Numerics.unknown(recipe.precision)
    if os.environ.get(OVERRIDE):
        raise RefusedError(f"{OVERRIDE}={os.environ[OVERRIDE]} overrules the recipe's arithmetic: unset it")
    backends: Any = torch.backends  # torch's type stubs lag behind these attributes
    if recipe.precision == "ieee_fp32":
        for part in (backends, backends.cuda.matmul, backends.cudnn.conv, backends.cudnn.rnn):
            part.fp32_precision = "ieee"
    if recipe.precision == "bf16" and not torch.cuda.is_bf16_supported(including_emulation=False):
        raise RefusedError("precision bf16 was asked for, but this GPU has no bf16 units: choose fp16")
    has_tf32 = torch.cuda.get_device_capability(device) >= (8, 0)
    return Numerics(
        precision=recipe.precision,
        matmul_tf32=backends.cuda.matmul.fp32_precision == "tf32" if has_tf32 else None,
        convolution_tf32=backends.cudnn.conv.fp32_precision == "tf32" if has_tf32 else None,
    )


def memory_format(model: nn.Module) -> str:
    """Return `channels_last` when a convolution's weights lie so, otherwise `contiguous`, as read back."""
    weights = [weight for weight in model.parameters() if weight.ndim == 4]
    last = [
        weight.is_contiguous(memory_format=torch.channels_last) and not weight.is_contiguous() for weight in weights
    ]
    return "channels_last" if any(last) else "contiguous"
