"""Milliseconds per training step of the tuned recipe, of variants of it and of peers: whole epochs with their data.

`PYTHONPATH=workflow/scripts python benchmarks/tuned_steps.py --device cuda --models simple_cnn resnet18 --variants
tuned bf16 --epochs 5 --output tuned_steps.csv` prints and writes a row a model and variant: the median of the epochs'
mean steps, the fastest and slowest epoch, the ratio to the first variant with its 95 % interval over the rounds of this
call (one process a side), the evaluation, the start-up parts, the kernels of a step and the sum of their durations.
`--variants tuned --peers all` compares with what others offer (benchmarks/peers). `steps` are those of a turn: a whole
epoch, or what `--steps` allows. Images and labels are random numbers: nothing can be learned from them, and what a step
of real images takes is not measured here.
"""

import argparse
import csv
import math
import statistics
import sys
from pathlib import Path

from scipy import stats

from measuring.exclusive import machine_to_ourselves
from peers import NAMES as PEERS
from recipe_contender import MODELS, VARIANTS
from turns import Contender, Reply, take_turns

HERE = Path(__file__).parent
COLUMNS = (
    *("model", "variant", "device", "threads", "steps", "epochs", "step_ms", "step_ms_fastest", "step_ms_slowest"),
    *("ratio", "ratio_low", "ratio_high", "eval_s", "compile_s", "capture_s", "kernels", "kernel_ms"),
    *("ratio_to_kernels", "inactive", "absent", "software", "machine", "date"),
    *("commit", "torch", "driver", "cpu_name"),
)


def main() -> None:
    """Start all contenders, measure one model after the other and print the table."""
    arguments = parsed()
    with machine_to_ourselves():
        measure(arguments)
    print(arguments.output.read_text(encoding="utf-8"))


def measure(arguments: argparse.Namespace) -> None:
    """Write the table, a model's rows as soon as they are there."""
    started = {model: start(model, arguments) for model in arguments.models}
    about = {model: {each.name: each.ready() for each in contenders} for model, contenders in started.items()}
    with arguments.output.open("w", newline="", encoding="utf-8", buffering=1) as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for model in started:
            writer.writerows(rows_of(model, started[model], about[model], arguments))


def start(model: str, arguments: argparse.Namespace) -> list[Contender]:
    """Start a process for each variant and peer."""
    options = ["--device", arguments.device, "--model", model, "--images", str(arguments.images)]
    options += [] if arguments.steps is None else ["--steps", str(arguments.steps)]
    commands = {name: ["recipe_contender.py", "--variant", name] for name in arguments.variants}
    commands |= {name: ["peer_contender.py", "--peer", name] for name in arguments.peers}
    return [
        Contender(name, [sys.executable, str(HERE / script), *more, *options])
        for name, (script, *more) in commands.items()
    ]


def rows_of(
    model: str, contenders: list[Contender], about: dict[str, Reply], arguments: argparse.Namespace
) -> list[Reply]:
    """Let the contenders of a model take turns and return their rows; one that is absent has a row without times."""
    turns = take_turns([each for each in contenders if "absent" not in about[each.name]], arguments.epochs)
    for name, answers in turns.items():
        about[name] |= {"absent": answers[0]["absent"]} if "absent" in answers[0] else {}
    present = [each for each in contenders if "absent" not in about[each.name]]
    for each in present:
        about[each.name] |= each.ask("kernels")
        each.leave()
    step_s = {each.name: [turn["train_s"] / turn["steps"] for turn in turns[each.name]] for each in present}
    first = step_s.get(contenders[0].name, [])
    return [
        {"model": model, "variant": each.name, "device": arguments.device, **_about(about[each.name])}
        | (_times(step_s[each.name], first, turns[each.name], about[each.name]) if each in present else {})
        for each in contenders
    ]


def _about(about: Reply) -> Reply:
    return {column: about.get(column) for column in COLUMNS if column in about}


def _times(step_s: list[float], first: list[float], turns: list[Reply], about: Reply) -> Reply:
    step_ms = statistics.median(step_s) * 1000
    evaluations = [turn["eval_s"] for turn in turns if turn["eval_s"] is not None]
    ratio, low, high = paired_ratio(step_s, first) if first else (None, None, None)  # the first variant is absent
    kernel_ms = about.get("kernel_ms")
    return {
        "steps": turns[0]["steps"],
        "epochs": len(step_s),
        "step_ms": step_ms,
        "step_ms_fastest": min(step_s) * 1000,
        "step_ms_slowest": max(step_s) * 1000,
        "ratio": ratio,
        "ratio_low": low,
        "ratio_high": high,
        "eval_s": statistics.median(evaluations) if evaluations else None,
        "ratio_to_kernels": step_ms / kernel_ms if kernel_ms else None,
    }


def paired_ratio(step_s: list[float], first: list[float]) -> tuple[float, float | None, float | None]:
    """Return the geometric mean of the rounds' ratios and its 95 % t interval; none for fewer than two rounds.

    The rounds of one process are not independent processes: the interval holds for this call alone.
    """
    logs = [math.log(own / other) for own, other in zip(step_s, first, strict=True)]
    mean = statistics.fmean(logs)
    if len(logs) < 2:
        return math.exp(mean), None, None
    half = float(stats.t.ppf(0.975, len(logs) - 1)) * statistics.stdev(logs) / math.sqrt(len(logs))
    return math.exp(mean), math.exp(mean - half), math.exp(mean + half)


def parsed() -> argparse.Namespace:
    """Return the command line's arguments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--models", nargs="+", default=["simple_cnn", "resnet18", "resnet50"], choices=MODELS)
    parser.add_argument("--variants", nargs="+", default=["tuned"], choices=VARIANTS)
    parser.add_argument("--peers", nargs="*", default=[], choices=[*PEERS, "all"])
    parser.add_argument("--epochs", type=int, default=5, help="timed epochs of each contender")
    parser.add_argument("--steps", type=int, default=None, help="end each epoch after so many steps, unevaluated")
    parser.add_argument("--images", type=int, default=50_000, help="training images")
    parser.add_argument("--output", type=Path, default=Path("tuned_steps.csv"))
    arguments = parser.parse_args()
    arguments.peers = list(PEERS) if "all" in arguments.peers else arguments.peers
    return arguments


if __name__ == "__main__":
    main()
