"""Which training windows something else disturbed, by the thresholds of the configuration; none is ever left out."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

TICK_S = 0.01  # the kernel counts CPU time in ticks; in a short window one of them is a large share
Row = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class QuietSettings:
    """The section `quiet` of the configuration; None: not judged."""

    max_other_cpu_share: float
    max_steal_share: float
    max_throttled_share: float
    max_pressure_share: float | None
    max_switches_per_s: float | None
    max_gpu_other_processes: int
    gpu_throttle_reasons: Sequence[str]
    max_disturbed_share: float

    @classmethod
    def from_json(cls, text: str) -> "QuietSettings":
        """Return the settings from one line of JSON."""
        return cls(**json.loads(text))


@dataclass(frozen=True, kw_only=True)
class Host:
    """What the limits of a run are relative to: its threads, and the logical CPUs on which it may be scheduled."""

    threads: int
    affinity_cpus: int


def disturbances(window: Row, host: Host, settings: QuietSettings) -> list[str] | None:
    """Return what disturbed a window (a row of the epoch table), in words, or None when nothing could be read."""
    shares = _shares(window, host, settings)
    gpu = (window["gpu_other_processes"], window["gpu_throttle_reasons"])
    if all(share is None for _, share, _ in shares) and gpu == (None, None):
        return None
    found = [f"{name} {share:.3g} > {limit:g}" for name, share, limit in shares if _above(share, limit)]
    return [*found, *_on_the_gpu(window, settings)]


def _shares(window: Row, host: Host, settings: QuietSettings) -> list[tuple[str, float | None, float | None]]:
    """Name, value and limit; other processes and steal are counted in ticks, up to one too many on each CPU."""
    seconds = window["train_s"]
    others = _quotient(_less(window["other_cpu_s"], TICK_S * host.affinity_cpus), seconds * host.affinity_cpus)
    switches = _quotient(window["involuntary_switches"], seconds * host.threads)
    return [
        ("other_cpu_share", others, settings.max_other_cpu_share),
        ("steal_share", _less(window["steal_share"], TICK_S / seconds), settings.max_steal_share),
        ("throttled_share", _quotient(window["throttled_s"], seconds * host.threads), settings.max_throttled_share),
        ("pressure_share", _quotient(window["pressure_s"], seconds), settings.max_pressure_share),
        ("switches_per_s", switches, settings.max_switches_per_s),
    ]


def _on_the_gpu(window: Row, settings: QuietSettings) -> list[str]:
    others, reasons = window["gpu_other_processes"], window["gpu_throttle_reasons"]
    found = sorted(set((reasons or "").split("+")) & set(settings.gpu_throttle_reasons))
    crowd = [f"gpu_other_processes {others:g}"] if _above(others, settings.max_gpu_other_processes) else []
    return [*crowd, *(f"gpu {reason}" for reason in found)]


def _quotient(value: float | None, divisor: float) -> float | None:
    return None if value is None else value / divisor


def _less(value: float | None, error: float) -> float | None:
    return None if value is None else max(0.0, value - error)


def _above(value: float | None, limit: float | None) -> bool:
    return value is not None and limit is not None and value > limit


def summary(windows: Sequence[Row], images_per_epoch: float | None, settings: QuietSettings) -> dict[str, Any]:
    """Return the columns of runs.csv about its windows, which are rows with `disturbed` True, False or None.

    `epoch_train_s_quiet` is the time of one epoch at the pace of the windows that nothing disturbed: their mean where
    all of them are complete epochs.
    """
    judged = [window["disturbed"] for window in windows if window["disturbed"] is not None]
    share = sum(judged) / len(judged) if judged else None
    quiet = [window for window in windows if window["disturbed"] is False]
    seconds, images = sum(window["train_s"] for window in quiet), sum(window["images"] for window in quiet)
    return {
        "windows": len(windows),
        "disturbed_windows": sum(judged) if judged else None,
        "disturbed_share": share,
        "disturbed": None if share is None else share > settings.max_disturbed_share,
        "epoch_train_s_quiet": seconds / images * images_per_epoch if images and images_per_epoch else None,
    }
