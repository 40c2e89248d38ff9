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
    from measuring.model_check import model_error

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


if __name__ == "__main__":
    main()
