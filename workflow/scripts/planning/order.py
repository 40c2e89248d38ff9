"""The order in which timed runs start, so that a drift of the machine does not fall on one device."""

import hashlib


def start_priority(*, seed: int, repeat: int, repeats: int, run: str) -> int:
    """Return a priority (higher starts first): all runs of repeat 1 in random order, then those of repeat 2, ...

    The order within a repeat comes from a hash of `seed`, `repeat` and the run's name, hence the same everywhere.
    """
    draw = int.from_bytes(hashlib.sha256(f"{seed}/{repeat}/{run}".encode()).digest()[:2], "big")
    return (repeats - repeat) * 65536 + draw
