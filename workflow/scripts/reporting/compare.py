"""speedup.csv and parity.csv: what a pair of CPU and GPU runs says of time and learning; threads.csv: of CPUs."""

from collections.abc import Mapping
from typing import Any

from reporting.learning import NOT_RUN, accuracies, at_chance, learning
from reporting.obstacles import obstacle
from reporting.pairs import Pair, find_pairs, known_values, ratio_bounds, remarks
from reporting.statistics import (
    Estimate,
    StatisticsSettings,
    difference,
    equivalence,
    geometric_mean,
    parity_verdict,
    ratio,
)
from reporting.support import too_few
from reporting.tables import (
    PARITY_COLUMNS,
    RUN_COLUMNS,
    SPEEDUP_COLUMNS,
    THREADS_COLUMNS,
    known,
    read_table,
    write_table,
)
from reporting.threads import Choice, find_choices, thread_rows

CLOCKS = ("train_s", "total_s")
REFUSED = "refused"
Row = dict[str, Any]


def compare(*, runs: str, statistics: str, speedup_output: str, parity_output: str, threads_output: str) -> None:
    """Write speedup.csv (a row for each pair and clock), parity.csv (for each pair), threads.csv (for each model).

    Without any CPU or without any GPU the rows have no number and say which is absent.
    """
    settings = StatisticsSettings.from_json(statistics)
    table = read_table(runs, RUN_COLUMNS)
    pairs, choices = find_pairs(table), find_choices(table)
    speedups = (
        speedup_row(pair, clock, settings) | {"cpu_role": _role(choices, pair)} for pair in pairs for clock in CLOCKS
    )
    write_table(speedups, SPEEDUP_COLUMNS, speedup_output)
    write_table((parity_row(pair, settings) for pair in pairs), PARITY_COLUMNS, parity_output)
    write_table(thread_rows(table, settings), THREADS_COLUMNS, threads_output)


def _role(choices: Mapping[tuple[str, str], Choice], pair: Pair) -> str | None:
    choice = choices.get((pair.recipe, pair.model))
    return None if choice is None else choice.role(pair.cpu.device)


def speedup_row(pair: Pair, clock: str, settings: StatisticsSettings) -> Row:
    """One row of speedup.csv; times in seconds, speedup = CPU / GPU of geometric means; empty where not comparable."""
    row = {
        **_names(pair),
        **_machines(pair),
        **_costs(pair),
        "clock": clock,
        "failures": "; ".join(pair.failures) or None,
    }
    reason = obstacle(pair)
    if reason:
        return {**row, "note": reason}
    row |= {"learning": learning(pair, settings), "note": "; ".join(remarks(pair, clock))}
    return {**row, **_times(pair, clock, settings), **(_quiet(pair, settings) if clock == "train_s" else {})}


def _names(pair: Pair) -> Row:
    counts = {"n_cpu": len(pair.cpu.ok), "n_gpu": len(pair.gpu.ok)}
    devices = {"cpu_device": pair.cpu.device, "gpu_device": pair.gpu.device}
    return {"recipe": pair.recipe, "model": pair.model, "parameters": pair.number("parameters"), **devices, **counts}


def _machines(pair: Pair) -> Row:
    sizes = {name: pair.one(name) for name in ("family", "training_flop_per_sample")}
    names = {"cpu_name": pair.cpu.name, "gpu_name": pair.gpu.name, "cpu_threads": pair.cpu.threads}
    modes = {"cpu_mode": pair.cpu.mode, "gpu_mode": pair.gpu.mode}
    return {**sizes, **names, **modes, "host": " / ".join(known(pair.ok["host"])) or None}


def _costs(pair: Pair) -> Row:
    """Money and energy of one trained model on either side: a mean over its runs, with the basis."""
    sides = {"cpu": pair.cpu, "gpu": pair.gpu}
    columns = ("cost", "model_energy_j")
    numbers = {f"{name}_{column}": side.mean(column) for column in columns for name, side in sides.items()}
    words = {
        name: "; ".join(said for side in pair.sides if (said := side.words(column))) or None
        for name, column in (("cost_basis", "cost_basis"), ("energy_basis", "model_energy_basis"))
    }
    return {**numbers, **words, "currency": pair.one("currency")}


def _times(pair: Pair, clock: str, settings: StatisticsSettings) -> Row:
    cpu, gpu = pair.cpu.times(clock), pair.gpu.times(clock)
    means = {"cpu_s": geometric_mean(cpu) if cpu else None, "gpu_s": geometric_mean(gpu) if gpu else None}
    if not cpu or not gpu:
        return means
    estimate = ratio(cpu, gpu, confidence=settings.confidence)
    if pair.estimated:  # a spread between projections is not their error
        bounds = {f"speedup_bound_{end}": value for end, value in ratio_bounds(pair).items()}
        return {**means, "speedup": estimate.value, **bounds}
    return {**means, **_columns("speedup", estimate)}


def _quiet(pair: Pair, settings: StatisticsSettings) -> Row:
    """The speed-up at the pace of the epochs that nothing disturbed, where every run was measured and has some."""
    cpu, gpu = (known_values(side.ok["epoch_train_s_quiet"]) for side in pair.sides)
    if pair.estimated or len(cpu) < len(pair.cpu.ok) or len(gpu) < len(pair.gpu.ok):
        return {}
    return _columns("speedup_quiet", ratio(cpu, gpu, confidence=settings.confidence))


def _columns(name: str, estimate: Estimate) -> Row:
    return {name: estimate.value, **_interval(name, estimate)}


def parity_row(pair: Pair, settings: StatisticsSettings) -> Row:
    """One row of parity.csv: test accuracies as shares, difference = GPU - CPU, measured runs only."""
    row = {**_names(pair), "margin": settings.parity_margin}
    reason = obstacle(pair)
    if reason:
        return {**row, "verdict": REFUSED if reason.startswith(REFUSED) else NOT_RUN, "note": reason}
    if pair.estimated:
        note = f"{' and '.join(pair.estimated)} estimated: training was not completed"
        return {**row, "verdict": NOT_RUN, "note": note}
    return {**row, **_accuracies(pair, settings)}


def _accuracies(pair: Pair, settings: StatisticsSettings) -> Row:
    cpu, gpu = accuracies(pair.cpu), accuracies(pair.gpu)
    if not cpu or not gpu:
        return {"verdict": NOT_RUN, "note": "no test accuracy in the records"}
    return {
        "n_cpu": len(cpu),
        "n_gpu": len(gpu),
        "cpu_test_accuracy": sum(cpu) / len(cpu),
        "gpu_test_accuracy": sum(gpu) / len(gpu),
        **_columns("difference", difference(gpu, cpu, confidence=settings.confidence)),
        **_interval("equivalence", equivalence(gpu, cpu, settings)),
        **_verdict(pair, settings),
        "note": "; ".join(remarks(pair, "train_s")),
    }


def _interval(name: str, estimate: Estimate) -> Row:
    return {f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def _verdict(pair: Pair, settings: StatisticsSettings) -> Row:
    """Verdict and the reason for it, in a sentence."""
    cpu, gpu = accuracies(pair.cpu), accuracies(pair.gpu)
    unmet = [*pair.failures, too_few([len(cpu), len(gpu)], settings), at_chance(pair)]
    missing = "; ".join(text for text in unmet if text)
    if missing:
        return {"verdict": "inconclusive", "reason": f"{missing}."}
    verdict, margin = parity_verdict(gpu, cpu, settings), points(settings.parity_margin)
    words = {"equal": "within", "different": "outside", "inconclusive": "neither wholly within nor wholly outside"}
    confidence = f"{2 * settings.confidence - 1:.0%}"
    return {"verdict": verdict, "reason": f"The {confidence} interval lies {words[verdict]} {margin} around zero."}


def points(share: float) -> str:
    """A share as a text in percentage points."""
    return f"{share * 100:g} point" + ("" if share == 0.01 else "s")
