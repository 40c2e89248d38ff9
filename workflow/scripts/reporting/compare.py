"""speedup.csv and parity.csv: what a pair of CPU and GPU runs says about time and about learning."""

from collections.abc import Sequence
from typing import Any

from reporting.pairs import Pair, Side, find_pairs, known_values, obstacle, remarks
from reporting.statistics import Estimate, StatisticsSettings, difference, geometric_mean, parity_verdict, ratio
from reporting.tables import PARITY_COLUMNS, RUN_COLUMNS, SPEEDUP_COLUMNS, known, read_table, write_table

CLOCKS = ("train_s", "total_s")
NOT_RUN = "accuracy: not run"
Row = dict[str, Any]


def compare(*, runs: str, statistics: str, speedup_output: str, parity_output: str) -> None:
    """Write speedup.csv (a row for each pair and clock) and parity.csv (a row for each pair).

    Without any device that holds a GPU both have their header only.
    """
    settings = StatisticsSettings.from_json(statistics)
    pairs = find_pairs(read_table(runs, RUN_COLUMNS))
    speedups = (speedup_row(pair, clock, settings) for pair in pairs for clock in CLOCKS)
    write_table(speedups, SPEEDUP_COLUMNS, speedup_output)
    write_table((parity_row(pair, settings) for pair in pairs), PARITY_COLUMNS, parity_output)


def speedup_row(pair: Pair, clock: str, settings: StatisticsSettings) -> Row:
    """One row of speedup.csv; times in seconds, speedup = CPU / GPU of geometric means; empty where not comparable."""
    row = {**_names(pair), **_machines(pair), "clock": clock}
    reason = obstacle(pair)
    if reason:
        return {**row, "note": reason}
    return {**row, **_times(pair, clock, settings), "note": "; ".join(remarks(pair, clock))}


def _names(pair: Pair) -> Row:
    counts = {"n_cpu": len(pair.cpu.ok), "n_gpu": len(pair.gpu.ok)}
    devices = {"cpu_device": pair.cpu.device, "gpu_device": pair.gpu.device}
    return {"recipe": pair.recipe, "model": pair.model, "parameters": _integer(pair, "parameters"), **devices, **counts}


def _integer(pair: Pair, column: str) -> int | None:
    value: Any = pair.one(column)
    return None if value is None else int(value)


def _machines(pair: Pair) -> Row:
    sizes = {name: pair.one(name) for name in ("family", "training_flop_per_sample")}
    names = {"cpu_name": pair.cpu.name, "gpu_name": pair.gpu.name}
    modes = {"cpu_mode": pair.cpu.mode, "gpu_mode": pair.gpu.mode}
    return {**sizes, **names, **modes, "host": " / ".join(known(pair.ok["host"])) or None}


def _times(pair: Pair, clock: str, settings: StatisticsSettings) -> Row:
    cpu, gpu = pair.cpu.times(clock), pair.gpu.times(clock)
    means = {"cpu_s": geometric_mean(cpu) if cpu else None, "gpu_s": geometric_mean(gpu) if gpu else None}
    if not cpu or not gpu:
        return means
    return {**means, **_columns("speedup", ratio(cpu, gpu, confidence=settings.confidence))}


def _columns(name: str, estimate: Estimate) -> Row:
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def parity_row(pair: Pair, settings: StatisticsSettings) -> Row:
    """One row of parity.csv: test accuracies as shares, difference = GPU - CPU, measured runs only."""
    row = {**_names(pair), "margin": settings.parity_margin}
    reason = obstacle(pair)
    if reason:
        verdict = "inconclusive" if reason.startswith("refused") else NOT_RUN
        return {**row, "verdict": verdict, "note": reason}
    estimated = [side.device for side in (pair.cpu, pair.gpu) if side.mode == "estimated"]
    if estimated:
        return {**row, "verdict": NOT_RUN, "note": f"{' and '.join(estimated)} estimated: training was not completed"}
    return {**row, **_accuracies(pair, settings)}


def _accuracies(pair: Pair, settings: StatisticsSettings) -> Row:
    cpu, gpu = _accuracy(pair.cpu), _accuracy(pair.gpu)
    if not cpu or not gpu:
        return {"verdict": NOT_RUN, "note": "no test accuracy in the records"}
    return {
        "cpu_test_accuracy": sum(cpu) / len(cpu),
        "gpu_test_accuracy": sum(gpu) / len(gpu),
        **_columns("difference", difference(gpu, cpu, confidence=settings.confidence)),
        "verdict": parity_verdict(gpu, cpu, settings),
        "note": "; ".join([*remarks(pair, "train_s"), *_too_few(cpu, gpu, settings)]),
    }


def _accuracy(side: Side) -> list[float]:
    return known_values(side.ok["test_accuracy"])


def _too_few(cpu: Sequence[float], gpu: Sequence[float], settings: StatisticsSettings) -> list[str]:
    fewest = min(len(cpu), len(gpu))
    if fewest >= settings.min_claim_repeats:
        return []
    return [f"n = {fewest}, a claim needs {settings.min_claim_repeats} on each side"]
