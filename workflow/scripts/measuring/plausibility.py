"""No run computes faster than its device can."""

from measuring.refusal import RefusedError


def check_rate(*, flop: float | None, seconds: float, ceiling_flop_per_s: float | None) -> None:
    """RefusedError when `flop` operations in `seconds` exceed the measured ceiling; nothing when either is unknown."""
    if flop is None or ceiling_flop_per_s is None or seconds <= 0:
        return
    if flop / seconds > ceiling_flop_per_s:
        raise RefusedError(
            f"ceiling: {flop / seconds / 1e12:.3g} TFLOP/s were achieved, above the {ceiling_flop_per_s / 1e12:.3g} "
            "TFLOP/s of a large matrix product on the same device, so one of the two was timed wrongly: `make retry`"
        )
