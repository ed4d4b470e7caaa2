"""Time and chance, as the rest of this room asks for them: tests pass their own."""

from __future__ import annotations

import asyncio
import random
import time
from typing import Protocol


class Clock(Protocol):
    """Everything here that is not a function of its arguments."""

    def now(self) -> float:
        """Seconds that never run backwards."""

    def wall(self) -> float:
        """Seconds since 1970: needed to understand a date."""

    def random(self) -> float:
        """In [0, 1)."""

    async def sleep(self, seconds: float) -> None: ...


class SystemClock:
    """The real thing."""

    def __init__(self, seed: int | None = None) -> None:
        self._random = random.Random(seed)

    def now(self) -> float:
        return time.monotonic()

    def wall(self) -> float:
        return time.time()

    def random(self) -> float:
        return self._random.random()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
