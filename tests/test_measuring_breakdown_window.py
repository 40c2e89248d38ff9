from dataclasses import fields
from itertools import count

from measuring.breakdown.window import watched
from measuring.observer import Observation
from measuring.surroundings import Surroundings

SEEN = Surroundings(**{each.name: None for each in fields(Surroundings)})


class Watcher:
    def __init__(self, log):
        self.log = log

    def open(self):
        self.log.append("open")

    def close(self):
        self.log.append("close")
        return Observation(surroundings=SEEN, gpu_energy_j=None, cpu_energy_j=None)


def test_everything_is_read_before_and_after_the_work_and_never_inside():
    log, ticks = [], count()

    def clock():
        log.append("clock")
        return float(next(ticks))

    window = watched(Watcher(log), lambda: log.append("work"), clock)
    assert log == ["open", "clock", "work", "clock", "close"]
    assert window.window_s == 1
    assert window.surroundings == SEEN
