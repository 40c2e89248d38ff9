"""The software of a run, read inside the process that ran."""

import platform
import re
from importlib.metadata import PackageNotFoundError, version

import torch


def describe_software() -> dict[str, str | None]:
    """Return the versions that decide what a step costs, and how torch was built."""
    cudnn = torch.backends.cudnn.version() if torch.cuda.is_available() else None
    build = " ".join(torch.__config__.show().split())
    return {
        "python": platform.python_version(),
        "torch": torch.__version__,
        "torchvision": _version("torchvision"),
        "numpy": _version("numpy"),
        "pillow": _version("pillow"),
        "cuda": torch.version.cuda,
        "cudnn": str(cudnn) if cudnn else None,
        "onednn": onednn_version(build),
        "torch_build": build,
    }


def onednn_version(build: str) -> str | None:
    """Return the version of oneDNN that torch names in its description of itself, formerly called MKL-DNN."""
    found = re.search(r"(?:MKL-DNN|oneDNN) v([\d.]+)", build)
    return found.group(1) if found else None


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
