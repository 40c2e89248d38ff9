"""Facts that other people published, read from resources/published/*.yaml."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from lineage.job import UserError


@dataclass(frozen=True, kw_only=True)
class PublishedModel:
    """One row of the study's table; times in seconds, accuracies as shares."""

    name: str
    family: str
    parameters: int
    parameters_decimals: int  # of the printed number of millions
    cpu_s: float
    gpu_s: float
    ratio: float  # as printed
    ratio_decimals: int
    cpu_test_accuracy: float | None
    gpu_test_accuracy: float | None

    @property
    def recomputed_ratio(self) -> float:
        """The ratio of the printed times."""
        return self.cpu_s / self.gpu_s


@dataclass(frozen=True, kw_only=True)
class Published:
    """The study and what is needed to audit it."""

    study: Mapping[str, Any]
    models: Mapping[str, PublishedModel]  # by parameters
    claims: Mapping[str, Mapping[str, Any]]
    ceilings: Mapping[str, Mapping[str, Any]]
    networks: Mapping[str, Mapping[str, Any]]
    reference_accuracies: Mapping[str, Any]

    @property
    def images(self) -> int:
        """Training images over all epochs."""
        return int(self.study["training_images"] * self.study["epochs"])

    @property
    def label(self) -> str:
        """The study and its machine for a legend."""
        return f"{self.study['short']}: {self.study['cpu_short']} / {self.study['gpu_short']}"


def read_published(path: str | Path) -> Published:
    """Read resources/published/li2026.yaml.

    Raises:
        UserError: a part is missing.
    """
    content = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    try:
        models = [_model(name, facts) for name, facts in content["models"].items()]
        parts = {name: content[name] for name in ("study", "claims", "ceilings", "networks", "reference_accuracies")}
    except KeyError as error:
        raise UserError(f"{path}: {error} is missing, expected it as in the file of the project: restore it.") from None
    return Published(models={model.name: model for model in sorted(models, key=lambda m: m.parameters)}, **parts)


def _model(name: str, facts: Mapping[str, Any]) -> PublishedModel:
    fields = [field for field in PublishedModel.__dataclass_fields__ if field != "name"]
    return PublishedModel(name=name, **{field: facts[field] for field in fields})
