"""The nouns of the self-test: what is tried, and what came of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from ..errors import CodejuryError


class State(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"  # it was not tried, and nothing is wrong for that


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was tried."""

    group: str
    name: str
    state: State
    detail: str = ""
    """What was seen; of a check that was skipped, why."""
    seconds: float = 0.0
    """How long one had to wait for it."""


Result = tuple[State, str]
"""The state and the detail of a check."""


@dataclass(frozen=True, slots=True)
class Trial:
    """Something to be tried. An error of ours in `run` means that it failed."""

    name: str
    run: Callable[[], Result]

    def carry_out(self, group: str) -> Check:
        started = time.monotonic()
        try:
            state, detail = self.run()
        except CodejuryError as error:
            state, detail = State.FAILED, str(error)
        seconds = time.monotonic() - started
        return Check(group=group, name=self.name, state=state, detail=detail, seconds=seconds)


def told(state: State, detail: str) -> Callable[[], Result]:
    """A trial's `run` where the result is known already."""
    return lambda: (state, detail)
