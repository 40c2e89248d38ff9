"""The audit of the study's times against the arithmetic that its networks ask for."""

from collections.abc import Iterator

from reporting.audit_row import STEM_NAMES, audit_row
from reporting.published import Published, PublishedModel
from reporting.verdicts import CONFIRMED, INCONCLUSIVE, NOT_CONFIRMED, Row

FLOP_UNITS = {"gpu": (1e12, "TFLOP/s"), "cpu": (1e9, "GFLOP/s")}
PEAKS = {"gpu": "card's", "cpu": "processor's"}
WINOGRAD = 4.0  # F(4x4, 3x3) does a 3 x 3 convolution with 36 products instead of 144 (Lavin and Gray 2016)
TIME_SLACK = 1.5  # factor by which times may grow more or less than work
COUNTED = "counted as direct convolution in fp32"


def gpu_rates(published: Published) -> Iterator[Row]:
    """Whether the GPU times are possible with each stem."""
    for stem in ("imagenet_stem", "cifar_stem"):
        for model, network in published.networks.items():
            if stem in network["training_flop"]:
                yield _rate_row(published, model, "gpu", stem)


def cpu_rates(published: Published) -> Iterator[Row]:
    """Whether the CPU times are possible with the stem of the fewest FLOPs."""
    for model, network in published.networks.items():
        yield _rate_row(published, model, "cpu", next(iter(network["training_flop"])))


def flop_rate(published: Published, model: str, side: str, stem: str) -> float:
    """FLOP/s that the study's time of a model on a side (`cpu`, `gpu`) implies with a stem."""
    row = published.models[model]
    seconds = row.gpu_s if side == "gpu" else row.cpu_s
    return float(published.networks[model]["training_flop"][stem]) * published.images / seconds


def _rate_row(published: Published, model: str, side: str, stem: str) -> Row:
    scale, unit = FLOP_UNITS[side]
    rate, peak = flop_rate(published, model, side, stem) / scale, published.ceilings[side]["flop_per_s"] / scale
    share = published.networks[model]["conv3x3_share"][stem]
    least = rate * (1 - share + share / WINOGRAD)
    verdict = CONFIRMED if rate <= peak else NOT_CONFIRMED if least > peak else INCONCLUSIVE
    winograd = f"Winograd's algorithm for the 3 x 3 convolutions ({share:.0%} of the work)"
    comment = {
        CONFIRMED: "",
        INCONCLUSIVE: f" Implausible, not impossible: {winograd} could bring it down to {least:.3g}.",
        NOT_CONFIRMED: f" Even with {winograd} it would be {least:.3g}: the time does not belong to this network.",
    }[verdict]
    machine, network = published.study[f"{side}_short"], published.networks[model]["network"]
    implied = f"It implies {rate:.3g} {unit} where the {machine} peaks at {peak:g} {unit}; {COUNTED}, {network}."
    return audit_row(
        f"{side}_flop_{stem}".removesuffix("_only"),
        f"The stated {side.upper()} time with {STEM_NAMES[stem]} is not excluded by the {PEAKS[side]} peak.",
        f"<= {peak:g}",
        rate,
        unit,
        verdict,
        implied + comment,
        model,
    )


def time_ratios(published: Published) -> Iterator[Row]:
    """Whether times grow as the work does."""
    yield _time_row(published, "cpu", "resnet18", "resnet50")
    yield _time_row(published, "gpu", "resnet18", "resnet50")
    yield _time_row(published, "gpu", "simple_cnn", "resnet18")


def _time_row(published: Published, side: str, first: str, last: str) -> Row:
    seconds = [getattr(published.models[name], f"{side}_s") for name in (first, last)]
    work = [next(iter(published.networks[name]["training_flop"].values())) for name in (first, last)]
    times, flops = seconds[1] / seconds[0], work[1] / work[0]
    counted = f"{last} takes {times:.2f} times as long as {first} for {flops:.2f} times the FLOPs, {COUNTED}"
    return audit_row(
        f"{side}_time_ratio",
        f"The stated {side.upper()} times grow as the work does, within a factor of {TIME_SLACK:g}.",
        flops,
        times,
        f"{last} / {first}",
        CONFIRMED if 1 / TIME_SLACK <= times / flops <= TIME_SLACK else NOT_CONFIRMED,
        f"{counted}: {_comment(times / flops, side, published.models[first], published.models[last])}.",
        f"{first} to {last}",
    )


def _comment(excess: float, side: str, first: PublishedModel, last: PublishedModel) -> str:
    if excess > TIME_SLACK:
        ratio = last.ratio / excess if side == "cpu" else last.ratio * excess
        slower = f"{last.name} is {excess:.2g} times slower than its work explains"
        return f"{slower}, without which its ratio of {last.ratio:g} would be {ratio:.2g}"
    if excess < 1 / TIME_SLACK:
        return f"something else than arithmetic, such as the loading of images, set the time of {first.name}"
    return "time follows work"
