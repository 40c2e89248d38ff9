"""No run computes faster than its device can."""

from measuring.refusal import RefusedError


def check_rate(*, flop: float, fewest_flop: float, seconds: float, ceiling: float) -> None:
    """RefusedError when a run exceeds the measured `ceiling`, FLOP/s, whatever the algorithm.

    `flop` counts direct convolution; `fewest_flop` is what fast algorithms leave of it at least.
    """
    if seconds > 0 and fewest_flop / seconds > ceiling:
        raise RefusedError(
            f"ceiling: {flop / seconds / 1e12:.3g} TFLOP/s were achieved, counted as direct convolution, and at least "
            f"{fewest_flop / seconds / 1e12:.3g} TFLOP/s with Winograd's or another fast algorithm, above the "
            f"{ceiling / 1e12:.3g} TFLOP/s of a large matrix product on the same device, so one of the two was timed "
            "wrongly: `make retry`"
        )
