"""Versions of the software that this process has loaded."""

import platform
import sys
from importlib import metadata

# Import name to distribution name, of what can change a result.
_DISTRIBUTIONS = {
    "torch": "torch",
    "torchvision": "torchvision",
    "numpy": "numpy",
    "pandas": "pandas",
    "matplotlib": "matplotlib",
    "scipy": "scipy",
    "pooch": "pooch",
    "PIL": "Pillow",
    "jsonschema": "jsonschema",
    "yaml": "PyYAML",
    "psutil": "psutil",
}


def loaded_versions(job: object) -> dict[str, str]:
    """Return the version of Python, of each loaded package that matters, and of the engine that made `job`."""
    engine = type(job).__module__.partition(".")[0]
    candidates = {**_DISTRIBUTIONS, engine: engine}
    loaded = sorted(name for module, name in candidates.items() if module in sys.modules)
    versions = {name: _version(name) for name in loaded}
    return {"python": platform.python_version()} | {name: found for name, found in versions.items() if found}


def _version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None
