"""The queue of one model: what is planned, and the repairs that verdicts bring."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator
from typing import Final

from .cost import AnswerLength
from .plan import PlannedRequest
from .resolved_models import ResolvedModel

MOST_IN_A_ROW: Final = 10
"""Requests without an answer, one after the other, until a model counts as out of order."""


class ModelQueue:
    """Hands out requests to the lanes of one model. Used from one event loop."""

    def __init__(
        self,
        resolved_model: ResolvedModel,
        asks: Iterator[PlannedRequest],
        planned: int,
        *,
        repairs: bool,
        open_chains: int,
    ) -> None:
        """With `repairs` the lanes wait for the verdicts; `open_chains` wait for theirs already."""
        self.resolved_model = resolved_model
        self.lengths = AnswerLength()
        self.unasked = planned
        """Requests of the plan that were not made."""
        self.is_closed = bool(resolved_model.problem)
        self._asks = asks
        self._repairs: deque[PlannedRequest] = deque()
        self._has_repairs = repairs
        self._open_chains = open_chains
        self._failures = 0
        self._changed = asyncio.Event()

    async def next(self) -> PlannedRequest | None:
        """What to ask next, repairs first; None when there is nothing more and nothing more can come."""
        while not self.is_closed:
            if self._repairs:
                return self._repairs.popleft()
            if (ask := next(self._asks, None)) is not None:
                self.unasked -= 1
                self._open_chains += 1
                return ask
            if not self._has_repairs or not self._open_chains:
                return None
            self._changed.clear()
            await self._changed.wait()
        return None

    def repair(self, ask: PlannedRequest) -> None:
        """A verdict calls for another round of an open chain."""
        self._repairs.append(ask)
        self._changed.set()

    def chain_is_over(self) -> None:
        """A sample that was asked for, or waited for its verdict, will not come back."""
        self._open_chains -= 1
        self._changed.set()

    def close(self) -> None:
        """Hand out nothing more."""
        self.is_closed = True
        self._changed.set()

    def stop_sending(self) -> None:
        """Hand out nothing more, and give up what was handed out and is not sent yet."""
        self.close()
        stop = getattr(self.resolved_model.model, "stop_sending", None)  # a plug-in need not have it
        if stop is not None:
            stop()

    def answered(self, tokens: int | None) -> None:
        self._failures = 0
        self.lengths.add(tokens)

    def failed(self) -> bool:
        """Count a request without an answer; whether there were too many in a row."""
        self._failures += 1
        return self._failures >= MOST_IN_A_ROW
