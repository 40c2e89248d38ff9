"""The settings of one instrumented pass, as planned, executed and recorded. Imports nothing heavy."""

import json
from dataclasses import asdict, dataclass

from measuring.settings import RunSettings


@dataclass(frozen=True, kw_only=True)
class BreakdownSettings:
    """What is trained where, and how many of its steps are looked at."""

    run: RunSettings
    """The run that is taken apart; its budget does not matter here and is None."""
    warm_up_steps: int
    """Steps before the first sample, not counted."""
    steps: int
    """Steps that are sampled."""

    def to_json(self) -> str:
        """Return the settings as one line of JSON with sorted keys."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> "BreakdownSettings":
        """Return the settings that `to_json` wrote."""
        values = json.loads(text)
        return cls(**values | {"run": RunSettings.from_json(json.dumps(values["run"]))})
