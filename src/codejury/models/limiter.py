"""How many requests a service gets at once: as many as it bears.

Window           the arithmetic, a function of the times it is told
AdaptiveLimiter  the gate that requests wait at; one for all models of a service

Full speed at first; halved when the service says "too many", and one more after every full round of
successes (additive increase, multiplicative decrease). A service that names a time is left alone
until then. A limit per minute is exact: no 60 seconds ever hold more requests than it says.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from .clock import Clock, SystemClock
from .shutter import Shutter

MINUTE = 60.0


@dataclass(slots=True, kw_only=True)
class Window:
    """The state of one service: pure arithmetic on what it was told."""

    most: int
    """Requests at once, in the best case."""
    per_minute: int | None = None
    size: int = 0
    """Requests at once, now."""
    in_flight: int = 0
    _successes: int = 0
    _paused_until: float = 0.0
    _shrunk_at: float = float("-inf")
    _starts: deque[float] = field(default_factory=deque)

    def __post_init__(self) -> None:
        self.size = self.size or self.most

    def delay(self, now: float) -> float | None:
        """Seconds until a request may start; None if another one must end first."""
        if self.in_flight >= self.size:
            return None
        return max(0.0, self._paused_until - now, self._minute_is_over(now))

    def _minute_is_over(self, now: float) -> float:
        while self._starts and now - self._starts[0] >= MINUTE:
            self._starts.popleft()
        if self.per_minute is None or len(self._starts) < self.per_minute:
            return 0.0
        return self._starts[0] + MINUTE - now

    def start(self, now: float) -> None:
        self.in_flight += 1
        if self.per_minute is not None:
            self._starts.append(now)

    def end(self) -> None:
        self.in_flight -= 1

    def succeeded(self) -> None:
        """One more at once after as many successes as fit in at once."""
        self._successes += 1
        if self._successes >= self.size and self.size < self.most:
            self.size += 1
            self._successes = 0

    def overloaded(self, now: float, started: float, pause: float = 0.0) -> None:
        """Halve, once per round, and stay away for `pause` seconds.

        A round of 64 requests may bring 64 refusals: those that started before the last halving
        say nothing about the size it led to.
        """
        self._paused_until = max(self._paused_until, now + pause)
        self._successes = 0
        if started > self._shrunk_at:
            self._shrunk_at = now
            self.size = max(1, self.size // 2)


class AdaptiveLimiter:
    """Lets requests through in the order they came, as the window allows."""

    def __init__(self, most: int, per_minute: int | None = None, clock: Clock | None = None) -> None:
        self.window = Window(most=most, per_minute=per_minute)
        self._clock = clock or SystemClock()
        self._changed = asyncio.Event()
        self._turn = asyncio.Lock()

    @asynccontextmanager
    async def slot(self, shutter: Shutter | None = None) -> AsyncIterator[float]:
        """Wait for a place and hold it; gives the time of the start. Shut if the shutter comes down first."""
        started = await (shutter.unless_closed(self._admitted()) if shutter else self._admitted())
        try:
            if shutter is not None:
                shutter.check()
            yield started
        finally:
            self.window.end()
            self._changed.set()

    async def _admitted(self) -> float:
        async with self._turn:  # who waits longest goes first
            while (delay := self.window.delay(self._clock.now())) != 0.0:
                if delay is None:
                    self._changed.clear()
                    await self._changed.wait()
                else:
                    await self._clock.sleep(delay)
            started = self._clock.now()
            self.window.start(started)
            return started

    def succeeded(self) -> None:
        self.window.succeeded()
        self._changed.set()

    def overloaded(self, started: float, pause: float = 0.0) -> None:
        self.window.overloaded(self._clock.now(), started, pause)
