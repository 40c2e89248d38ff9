"""Decides when a budgeted run has seen enough."""

import math
from itertools import pairwise

from measuring.projection import MIN_STEPS, Whole, Window, project

FIRST_CHECK_S = 10.0
CHECK_FACTOR = 1.25
"""The half-width is looked at after 10 s of training, then 12.5 s, 15.6 s and so on: seldom, because whoever looks all
the time stops at the moment at which the interval happens to be too narrow."""


class Budget:
    """Ends a run at `budget_s` seconds of training, or earlier when the projection is within `target_half_width`.

    Within an epoch it knows only host times and reads nothing back from the device; between epochs it is given the
    true step times. Without a budget a run is never ended. A look within an epoch takes 1 to 8 ms and stays inside the
    clock.
    """

    def __init__(self, *, budget_s: float | None, target_half_width: float | None, whole: Whole) -> None:
        """`budget_s` in seconds or None, `target_half_width` as a share of the projected time or None."""
        self.budget_s, self.target_half_width, self.whole = budget_s, target_half_width, whole
        self.ended: str | None = None
        """Why the run was ended, in words; None while it goes on, and when it ran to its end."""
        self._windows: list[Window] = []
        self.first_batch_s = 0.0
        """From asking for the first batch of this epoch to having it."""
        self._spent_s, self._steps = 0.0, 0
        self._next_check_s = math.inf if target_half_width is None else FIRST_CHECK_S
        self._host_s, self._images = [0.0], list[int]()

    @classmethod
    def endless(cls) -> "Budget":
        """Return the budget of a run that has none."""
        return cls(budget_s=None, target_half_width=None, whole=Whole(epochs=1, images_per_epoch=1, batch_size=1))

    def first_batch(self, elapsed_s: float) -> None:
        """Take note that the first batch of an epoch has come, so many seconds after it was asked for."""
        self.first_batch_s = elapsed_s

    def step(self, elapsed_s: float, images: int) -> bool:
        """Take note of a step of so many images; `elapsed_s`: host seconds in this epoch. Return whether to end now."""
        if self.budget_s is None:
            return False
        self._host_s.append(elapsed_s)
        self._images.append(images)
        spent_s = self._spent_s + elapsed_s
        if spent_s < min(self.budget_s, self._next_check_s) or self._steps + len(self._images) < MIN_STEPS:
            return False
        self._look(spent_s, [*self._windows, self._current_window()])
        return self.ended is not None

    def epoch(self, window: Window) -> None:
        """Replace what the host saw of an epoch by its true times, and decide whether the next one may begin."""
        self._windows.append(window)
        self._spent_s += window.train_s
        self._steps += len(window.step_s)
        self._host_s, self._images = [0.0], []
        if self.budget_s is not None and self._steps >= MIN_STEPS and not self.ended:
            self._look(self._spent_s, self._windows)

    def _current_window(self) -> Window:
        return Window(
            step_s=[after - before for before, after in pairwise(self._host_s)],
            step_images=self._images,
            train_s=self._host_s[-1],
            first_batch_s=self.first_batch_s,
        )

    def _look(self, spent_s: float, windows: list[Window]) -> None:
        """Decide by seconds and, where it is time for it, by the projection; nothing ends a run that is complete."""
        if sum(sum(window.step_images) for window in windows) == self.whole.images:
            return
        if self.target_half_width is not None and spent_s >= self._next_check_s:
            self._next_check_s = spent_s * CHECK_FACTOR
            if project(windows, self.whole).half_width <= self.target_half_width:
                self.ended = f"training time known within {100 * self.target_half_width:g} %"
        if self.budget_s is not None and spent_s >= self.budget_s:
            self.ended = self.ended or f"budget of {self.budget_s:g} s used up"
