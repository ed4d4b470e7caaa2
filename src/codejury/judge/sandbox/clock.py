"""An answer's time: all runs of all its candidates take from one total."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from ...records import Limits
from .run import Run, Stop

QUICK_SECONDS: Final = 0.4
"""For each block of a quick run: about what compiling a larger candidate takes."""
QUICK_SHARE: Final = 0.05
"""Of the time that is left, for the whole of a quick run: it must not cost what it is there to save."""
TOO_LITTLE: Final = 0.01
"""Seconds in which no run gets anywhere."""


@dataclass(slots=True)
class Clock:
    """What is left of an answer's time, and what it was spent on so far."""

    limits: Limits
    spent: float = 0.0
    hung_alone: bool = False
    """A block ran out of time with the machine to itself: later time-outs are no fault of the load."""

    @property
    def left(self) -> float:
        return max(0.0, self.limits.answer_seconds - self.spent)

    @property
    def is_over(self) -> bool:
        return self.left < TOO_LITTLE

    @property
    def limits_left(self) -> Limits:
        """For the next run."""
        return replace(self.limits, answer_seconds=self.left)

    @property
    def quick_limits(self) -> Limits:
        """For a run in the interpreter."""
        seconds = min(QUICK_SECONDS, self.limits.seconds)
        return replace(self.limits, seconds=seconds, answer_seconds=QUICK_SHARE * self.left)

    def charge(self, run: Run) -> None:
        self.spent += run.seconds
        self.hung_alone |= run.alone and run.stop is Stop.TIME
