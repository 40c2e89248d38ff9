"""What torch finds on this machine: `python -m measuring.probe` reads models as JSON and prints JSON."""

import importlib.util
import json
import sys
from typing import Any


def main() -> None:
    """Print null without torch, else the accelerators found and the models that cannot be built."""
    models = json.load(sys.stdin)
    if importlib.util.find_spec("torch") is None or importlib.util.find_spec("torchvision") is None:
        print("null")
        return
    errors = {name: error for name, model in models.items() if (error := model_error(name, model))}
    print(json.dumps({"accelerators": find_accelerators(), "model_errors": errors}))


def find_accelerators() -> list[dict[str, Any]]:
    """Return the accelerator that torch offers, with the reason if it cannot run a kernel."""
    import torch

    from measuring.devices import accelerator_name, run_kernel

    found = torch.accelerator.current_accelerator()
    if found is None:
        return []
    error = run_kernel(found)
    return [{"type": found.type, "name": accelerator_name(found) if error is None else None, "error": error}]


def model_error(name: str, model: dict[str, Any]) -> str | None:
    """Return why the model cannot be trained on images of 32 x 32 pixels, or None; allocates no weights."""
    import torch

    from measuring.models import build_model
    from measuring.settings import ModelSettings

    arguments = {key: value for key, value in model.items() if key != "builder"}
    try:
        with torch.device("meta"):
            network = build_model(ModelSettings(name=name, builder=model["builder"], arguments=arguments))
            output = network.train()(torch.empty(2, 3, 32, 32))
    except Exception as error:  # whatever a third-party builder raises is the answer
        return " ".join(str(error).split())[:300] or type(error).__name__
    if isinstance(output, torch.Tensor) and output.ndim == 2 and output.shape[1] >= 10:
        return None
    shape = tuple(output.shape) if isinstance(output, torch.Tensor) else type(output).__name__
    return f"it returns {shape} for 2 images, expected a tensor of shape (2, classes) with at least 10 classes"


if __name__ == "__main__":
    main()
