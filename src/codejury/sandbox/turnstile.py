"""Who runs beside whom: many among others, or one alone."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from .run import Run, Stop

STARVED: Final = 0.1
"""A time-out counts only if less than this share of the limit was spent waiting for a processor."""


class Turnstile:
    """Shared by all workers of a judge. `alone` waits until nobody else runs, and lets nobody in."""

    def __init__(self) -> None:
        self._change = threading.Condition()
        self._inside = 0
        self._alone_wanted = 0

    def run_fairly(self, run: Callable[[], Run], *, seconds: float, counts: bool) -> Run:
        """A time-out under load is repeated alone before it counts, if waiting in line may explain it."""
        with self.among_others():
            first = run()
        if counts and first.stop is Stop.TIME and first.waited_seconds > STARVED * seconds:
            with self.alone():
                return run()
        return first

    @contextmanager
    def among_others(self) -> Iterator[None]:
        with self._change:
            self._change.wait_for(lambda: not self._alone_wanted)
            self._inside += 1
        try:
            yield
        finally:
            self._leave()

    @contextmanager
    def alone(self) -> Iterator[None]:
        with self._change:
            self._alone_wanted += 1
            self._change.wait_for(lambda: not self._inside)
            self._inside += 1
        try:
            yield
        finally:
            with self._change:
                self._alone_wanted -= 1
            self._leave()

    def _leave(self) -> None:
        with self._change:
            self._inside -= 1
            self._change.notify_all()
