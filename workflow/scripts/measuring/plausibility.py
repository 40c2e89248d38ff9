"""No run computes faster than its device can."""

from measuring.refusal import RefusedError


def check_rate(*, flop: float | None, fewest_share: float | None, seconds: float, ceiling: float | None) -> None:
    """RefusedError when `flop` operations in `seconds` exceed the measured `ceiling`, FLOP/s, whatever the algorithm.

    `flop` counts direct convolution; `fewest_share` is what fast algorithms leave of it (`work.fewest_flop_share`).
    Nothing happens when one of the four is unknown.
    """
    if flop is None or fewest_share is None or ceiling is None or seconds <= 0:
        return
    if flop * fewest_share / seconds > ceiling:
        raise RefusedError(
            f"ceiling: {flop / seconds / 1e12:.3g} TFLOP/s were achieved, counted as direct convolution, and at least "
            f"{flop * fewest_share / seconds / 1e12:.3g} TFLOP/s with Winograd's or another fast algorithm, above the "
            f"{ceiling / 1e12:.3g} TFLOP/s of a large matrix product on the same device, so one of the two was timed "
            "wrongly: `make retry`"
        )
