"""The nouns of the self-test: what is tried, and what came of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from ..errors import CodejuryError


class CheckState(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"  # it was not tried, and nothing is wrong for that


@dataclass(frozen=True, slots=True, kw_only=True)
class SelftestCheck:
    """One thing that was tried."""

    group: str
    name: str
    state: CheckState
    detail: str = ""
    """What was seen; of a check that was skipped, why."""
    seconds: float = 0.0
    """How long one had to wait for it."""


Result = tuple[CheckState, str]
"""The state and the detail of a check."""


@dataclass(frozen=True, slots=True)
class SelftestTrial:
    """Something to be tried. An error of ours in `run` means that it failed."""

    name: str
    run: Callable[[], Result]

    def carry_out(self, group: str) -> SelftestCheck:
        started = time.monotonic()
        try:
            state, detail = self.run()
        except CodejuryError as error:
            state, detail = CheckState.FAILED, str(error)
        seconds = time.monotonic() - started
        return SelftestCheck(group=group, name=self.name, state=state, detail=detail, seconds=seconds)


def known_result(state: CheckState, detail: str) -> Callable[[], Result]:
    """A trial's `run` where the result is known already."""
    return lambda: (state, detail)
