"""The money of a run: what is spent, what is promised to requests under way, and what may still be promised.

With a bound on the length of answers (`max_tokens`) the budget is never exceeded: the longest answer is
reserved. Without one, a guess is, and the requests under way may cost more than it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from statistics import median
from typing import Final

from .expectation import USUAL_ANSWER

REMEMBERED: Final = 101
_HAIR: Final = 1e-12  # sums of floats


class Ledger:
    """Counts USD. Used from one event loop."""

    def __init__(self, budget: float | None = None) -> None:
        self.budget = budget
        self.spent = 0.0
        self.reserved = 0.0
        self.unknown = 0
        """Answers whose cost nobody knows."""
        self._settled = asyncio.Event()

    async def reserve(self, cost: float | None) -> bool:
        """Put so much aside for a request; False if the budget does not allow it.

        While others are under way it waits: most cost less than was put aside for them.
        """
        cost = cost or 0.0
        while not self._affordable(cost):
            if self.reserved <= _HAIR:
                return False
            self._settled.clear()
            await self._settled.wait()
        self.reserved += cost
        return True

    def settle(self, reserved: float | None, cost: float | None, *, answered: bool) -> None:
        """A request is over. An answer of unknown cost counts as much as was put aside for it."""
        self.reserved = max(0.0, self.reserved - (reserved or 0.0))
        if answered:
            self.unknown += cost is None and not reserved
            self.spent += (reserved or 0.0) if cost is None else cost
        self._settled.set()

    def _affordable(self, cost: float) -> bool:
        return self.budget is None or self.spent + self.reserved + cost <= self.budget + _HAIR


class AnswerLength:
    """How long a model's answers are, from the last of them."""

    def __init__(self) -> None:
        self._lengths: deque[int] = deque(maxlen=REMEMBERED)

    def add(self, tokens: int | None) -> None:
        if tokens is not None:
            self._lengths.append(tokens)

    def guess(self, most: int | None) -> int:
        """Tokens to reserve: the bound where there is one, else what is usual for this model."""
        if most is not None:
            return most
        return int(median(self._lengths)) if self._lengths else USUAL_ANSWER
