"""Runs go side by side; one that timed out while the machine was busy is repeated alone before it counts."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from ...records import Limits
from .run import OnFrame, Run, Stop, ignore_frames

STARVED: Final = 0.1
"""A time-out counts only if less than this share of the limit was spent waiting for a processor."""

RunsOnce = Callable[[Limits, OnFrame], Run]


class RunScheduler:
    """Shared by all workers of a judge. One that is alone waits for the others, and delays new ones."""

    def __init__(self) -> None:
        self._change = threading.Condition()
        self._tickets = itertools.count()
        self._inside: set[int] = set()
        self._alone_wanted = 0

    def run_fairly(self, run: RunsOnce, limits: Limits, *, counts: bool) -> Run:
        """A time-out under load is repeated alone before it counts, if waiting in line may explain it.

        The repetition is alone until the block in question has ended; the blocks after it run among others
        again. All of it takes from the same total, and the last run's `seconds` are those of all.
        """
        with self._among_others():
            latest = run(limits, ignore_frames)
        while counts and _load_may_be_at_fault(latest, limits):
            latest = self._repeat_alone(run, limits, latest)
        return latest

    def _repeat_alone(self, run: RunsOnce, limits: Limits, before: Run) -> Run:
        reached = len(before.frames)
        left = replace(limits, answer_seconds=limits.answer_seconds - before.seconds)
        with self._alone() as let_others_in:
            again = run(left, lambda frames: let_others_in() if frames > reached else None)
        return replace(again, alone=len(again.frames) <= reached, seconds=before.seconds + again.seconds)

    @contextmanager
    def _among_others(self) -> Iterator[None]:
        with self._change:
            self._change.wait_for(lambda: not self._alone_wanted)
            ticket = self._enter()
        try:
            yield
        finally:
            self._leave(ticket)

    @contextmanager
    def _alone(self) -> Iterator[Callable[[], None]]:
        """Gives the means to let others in before the end.

        Runs that are under way may take a while, so others may still start until those are over. Then none
        may start, and the ones that started meanwhile are waited for: most runs take milliseconds.
        """
        with self._change:
            present = set(self._inside)
            self._change.wait_for(lambda: not present & self._inside)
            self._alone_wanted += 1
            self._change.wait_for(lambda: not self._inside)
            ticket = self._enter()
        others_are_in = False

        def let_others_in() -> None:
            nonlocal others_are_in
            with self._change:
                self._alone_wanted -= not others_are_in
                others_are_in = True
                self._change.notify_all()

        try:
            yield let_others_in
        finally:
            let_others_in()
            self._leave(ticket)

    def _enter(self) -> int:
        ticket = next(self._tickets)
        self._inside.add(ticket)
        return ticket

    def _leave(self, ticket: int) -> None:
        with self._change:
            self._inside.remove(ticket)
            self._change.notify_all()


def _load_may_be_at_fault(run: Run, limits: Limits) -> bool:
    starved = run.starved_seconds > STARVED * limits.seconds
    return run.stop is Stop.TIME and starved and not run.alone and run.seconds < limits.answer_seconds
