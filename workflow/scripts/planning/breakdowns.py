"""The instrumented passes that a configuration asks for: one for each run, each with the path of its record."""

import hashlib
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from lineage.code import hash_files, import_closure
from measuring.breakdown.settings import BreakdownSettings
from measuring.models import model_file
from planning.study import SCRIPTS, PlannedRun, run_settings


@dataclass(frozen=True, kw_only=True)
class PlannedBreakdown(PlannedRun):
    """One process that takes the steps of a run apart, with a key of its own."""

    @property
    def stem(self) -> str:
        """Path of the record without its ending, relative to the results folder."""
        return f"breakdown/{self.recipe}/{self.model}/{self.device}/{self.key}/{self.repeat}"


def plan_breakdowns(config: dict[str, Any], runs: list[PlannedRun]) -> list[PlannedBreakdown]:
    """Return one pass for every run of the study, in the order of the runs."""
    keys = {
        each: breakdown_key(breakdown_settings(config, *each))
        for each in dict.fromkeys((run.recipe, run.model, run.device) for run in runs)
    }
    return [PlannedBreakdown(**vars(run) | {"key": keys[run.recipe, run.model, run.device]}) for run in runs]


def breakdown_settings(config: dict[str, Any], recipe: str, model: str, device: str) -> BreakdownSettings:
    """Return all that the record of a pass depends on, besides its repeat and the measuring code."""
    run = run_settings(config, recipe, model, device)
    return BreakdownSettings(run=replace(run, device=replace(run.device, budget_s=None)), **config["breakdown"])


def breakdown_key(settings: BreakdownSettings) -> str:
    """Return ten hex digits that change when the settings or the code of a pass change."""
    text = settings.to_json() + breakdown_code(settings.run.model.builder)
    return hashlib.sha256(text.encode()).hexdigest()[:10]


@cache
def breakdown_code(builder: str) -> str:
    """Return the hash of the code of the pass, of what it uses of the measuring core, and of the model's own file."""
    used = import_closure(SCRIPTS / "break_down.py")
    core = [path for path in used if path.is_relative_to(SCRIPTS / "measuring")]
    return hash_files([SCRIPTS / "break_down.py", *core, *import_closure(model_file(builder))])
