"""What one trained model costs in money and energy, with the basis of each number, or the reason why there is none."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Record = Mapping[str, Any]
Row = dict[str, Any]
SECONDS_PER_HOUR = 3600
NOT_OK = "not stated: the run did not end well"
MEASURED_COST = "measured: total_s"
ESTIMATED_COST = "estimated: startup_s and projected_train_s, without evaluation"
MEASURED_ENERGY = "measured: all training windows"
ESTIMATED_ENERGY = "estimated: the steps that ran, and the rest at the same joules a second"


@dataclass(frozen=True, kw_only=True)
class CostSettings:
    """The section `cost` of the configuration; a device without price has no cost."""

    currency: str | None
    price_per_hour: Mapping[str, float | None]

    @classmethod
    def from_json(cls, text: str) -> "CostSettings":
        """Return the settings from one line of JSON."""
        return cls(**json.loads(text))


def cost_columns(record: Record, settings: CostSettings) -> Row:
    """Return the columns of runs.csv about money and energy of one trained model."""
    cost, cost_basis = _cost(record, settings.price_per_hour.get(record["device"]))
    energy_j, energy_basis = _energy(record)
    currency = settings.currency if cost is not None else None
    money = {"cost": cost, "currency": currency, "cost_basis": cost_basis}
    return {**money, "model_energy_j": energy_j, "model_energy_basis": energy_basis}


def _cost(record: Record, price: float | None) -> tuple[float | None, str]:
    """Hours of everything that a rented machine is paid for, times its price."""
    if record["status"] != "ok":
        return None, NOT_OK
    if price is None:
        return None, f"not stated: cost.price_per_hour has no price of {record['device']}"
    if record["mode"] == "measured":
        return record["total_s"] / SECONDS_PER_HOUR * price, MEASURED_COST
    return (record["startup_s"] + record["projected_train_s"]) / SECONDS_PER_HOUR * price, ESTIMATED_COST


def _energy(record: Record) -> tuple[float | None, str]:
    """Joules of the device that trained: the GPU's, or those of the processor packages."""
    unit = "cpu" if record["settings"]["device"]["type"] == "cpu" else "gpu"
    joules = record[f"{unit}_energy_j"]
    if joules is None:
        return None, record[f"{unit}_energy_reason"] or NOT_OK
    if record["mode"] == "measured":
        return joules, MEASURED_ENERGY
    return joules * record["projected_train_s"] / record["elapsed_train_s"], ESTIMATED_ENERGY
