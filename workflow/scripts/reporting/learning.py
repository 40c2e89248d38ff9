"""Whether both sides of a pair learned: the time of a training that learns nothing says nothing."""

from reporting.pairs import Pair, Side, known_values
from reporting.statistics import StatisticsSettings, parity_verdict

NOT_RUN = "accuracy: not run"
LEARNED = "ok"
CHANCE = 0.1  # share: both kinds of data set have ten classes of equal size
ABOVE_CHANCE = 0.05  # share by which every run must exceed chance


def accuracies(side: Side) -> list[float]:
    """Test accuracies (shares) of the ok runs that have one."""
    return known_values(side.ok["test_accuracy"])


def learning(pair: Pair, settings: StatisticsSettings) -> str:
    """`ok`, `accuracy: not run` or what is wrong with the accuracies of a pair."""
    if pair.estimated or any(len(accuracies(side)) < len(side.ok) for side in pair.sides):
        return NOT_RUN
    if parity_verdict(accuracies(pair.gpu), accuracies(pair.cpu), settings) == "different":
        return at_chance(pair) or "the test accuracies of the devices differ"
    return at_chance(pair) or LEARNED


def at_chance(pair: Pair) -> str | None:
    """Which devices have a run that is not above chance, or None."""
    least = CHANCE + ABOVE_CHANCE
    devices = [str(side.device) for side in pair.sides if min(accuracies(side), default=1.0) < least]
    return f"{' and '.join(devices)} at chance: a test accuracy below {least:g}" if devices else None
