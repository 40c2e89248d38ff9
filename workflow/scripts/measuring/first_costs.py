"""What the beginning of a training costs extra: nothing is warmed up, so it is inside the clock."""

from statistics import median

MIN_EPOCHS = 3


def first_epoch_extra_s(epoch_s: list[float]) -> float | None:
    """Return the seconds of the first epoch above the median of the later ones; None for fewer than three epochs.

    `epoch_s`: training seconds of each complete epoch. Disturbed epochs can make the result negative.
    """
    return epoch_s[0] - median(epoch_s[1:]) if len(epoch_s) >= MIN_EPOCHS else None
