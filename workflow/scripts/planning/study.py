"""The list of runs that a configuration asks for, each with the path of its record."""

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from fetching.published import CIFAR10
from lineage.code import hash_files, import_closure
from measuring.models import model_file
from measuring.settings import DatasetSettings, DeviceSettings, ModelSettings, RunSettings
from planning.recipes import resolve_recipe

SCRIPTS = Path(__file__).parents[1]
FETCHING = ("local_path", "sources", "timeout_s")


@dataclass(frozen=True, kw_only=True)
class PlannedRun:
    """One process of the study: what it trains, on what, and where its record lies."""

    recipe: str
    model: str
    device: str
    key: str
    repeat: int
    gpus: int
    data: str
    """Path of the decoded dataset without its ending, relative to the results folder."""

    @property
    def stem(self) -> str:
        """Path of the record without its ending, relative to the results folder."""
        return f"runs/{self.recipe}/{self.model}/{self.device}/{self.key}/{self.repeat}"


def plan_runs(config: dict[str, Any], devices: list[str]) -> list[PlannedRun]:
    """Return the runs of every recipe x model x device x repeat, in the order of the configuration."""
    study = config["study"]
    return [
        run
        for recipe in study["recipes"]
        for model in study["models"]
        for device in devices
        for run in _repeats(run_settings(config, recipe, model, device), study["repeats"])
    ]


def _repeats(settings: RunSettings, repeats: int) -> list[PlannedRun]:
    key = run_key(settings)
    return [
        PlannedRun(
            recipe=settings.recipe.name,
            model=settings.model.name,
            device=settings.device.name,
            key=key,
            repeat=repeat,
            gpus=settings.device.gpus,
            data=data_stem(settings.dataset),
        )
        for repeat in range(1, repeats + 1)
    ]


def run_settings(config: dict[str, Any], recipe: str, model: str, device: str) -> RunSettings:
    """Return all that the record of a run depends on, besides its repeat and the measuring code."""
    resolved = resolve_recipe(recipe, config["recipes"])
    arguments = dict(config["models"][model])
    return RunSettings(
        recipe=resolved,
        model=ModelSettings(name=model, builder=arguments.pop("builder"), arguments=arguments),
        device=_device_settings(device, config["devices"][device]),
        dataset=dataset_settings(resolved.dataset, config["datasets"][resolved.dataset]),
        seed=config["study"]["seed"],
    )


def _device_settings(name: str, definition: dict[str, Any]) -> DeviceSettings:
    budget_s = definition["budget_s"]
    return DeviceSettings(name=name, **definition | {"budget_s": None if budget_s is None else float(budget_s)})


def dataset_settings(name: str, definition: dict[str, Any]) -> DatasetSettings:
    """Return what identifies the content of a dataset, wherever it was fetched from."""
    if definition["type"] == "cifar10":
        content = json.dumps(dict(CIFAR10.binary_sha256), sort_keys=True)
    else:
        content = json.dumps(definition, sort_keys=True) + _making_code()
    return DatasetSettings(name=name, type=definition["type"], content=hashlib.sha256(content.encode()).hexdigest())


@cache
def _making_code() -> str:
    return hash_files([SCRIPTS / "fetching" / "synthetic.py"])


def data_stem(dataset: DatasetSettings) -> str:
    """Return the path of a decoded dataset without its ending; another definition under the same name has its own."""
    return f"data/{dataset.name}/{dataset.content[:10]}"


def content_settings(name: str, definition: dict[str, Any]) -> str:
    """Return as JSON what decides the content of a dataset, without how a copy of it is fetched.

    Snakemake removes the data of a job whose parameters changed, and results are published with them: another timeout
    changes no data, and a path means nothing to others.
    """
    deciding = {key: value for key, value in definition.items() if key not in FETCHING}
    return json.dumps({"name": name, **deciding}, sort_keys=True)


def run_key(settings: RunSettings) -> str:
    """Return ten hex digits that change when the settings or the measuring code of a run change."""
    text = json.dumps(asdict(settings), sort_keys=True) + measuring_code(settings.model.builder)
    return hashlib.sha256(text.encode()).hexdigest()[:10]


@cache
def measuring_code(builder: str) -> str:
    """Return the hash of the measuring core and of the one file that builds this model, with what it imports."""
    core = [SCRIPTS / "train.py", *(SCRIPTS / "measuring").glob("*.py"), SCRIPTS / "measuring/models/__init__.py"]
    return hash_files([*core, *import_closure(model_file(builder))])
