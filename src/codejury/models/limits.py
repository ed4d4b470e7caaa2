"""The limits of requests to a service: retries, pauses, requests at once. Tests bring their own clock."""

from __future__ import annotations

import asyncio
import random
import time
from collections import deque
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import Any, Protocol, TypeVar


class RequestClock(Protocol):
    """Time and random numbers, as this package asks for them."""

    def now(self) -> float:
        """Seconds that never run backwards."""

    def wall(self) -> float:
        """Seconds since 1970: needed to understand a date."""

    def random(self) -> float:
        """In [0, 1)."""

    async def sleep(self, seconds: float) -> None: ...


class SystemClock:
    """The clock of the machine."""

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


# ---- How long to wait, and how often to try again.


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestPolicy:
    """The limits of one request. All can be set per model in `codejury.toml`."""

    tries: int = 6
    """Requests in all before a model counts as unavailable."""
    seconds: float | None = None
    """For one try, from the first byte sent to the last one read; None leaves it to `seconds_for`."""
    silence_seconds: float = 300.0
    """Without a single byte. Long, since a model thinks before its first one."""
    connect_seconds: float = 20.0
    first_delay: float = 1.0
    longest_delay: float = 60.0
    longest_pause: float = 300.0
    """A service that asks for more than this is left to the next run."""
    answer_bytes: int = 8_000_000

    def seconds_for(self, *, streams: bool) -> float:
        """An hour for an answer that comes in pieces: as long as they come, the model is at work."""
        return self.seconds or (3600.0 if streams else 600.0)


def backoff(retry: int, chance: float, policy: RequestPolicy, asked: float | None = None) -> float:
    """Seconds before the retry (from 0): doubling, with half of it left to chance.

    0, 1, 2, 3 -> 0.5..1, 1..2, 2..4, 4..8           never less than the service asked for
    """
    full = min(policy.longest_delay, policy.first_delay * 2.0**retry)
    if asked is None:
        return full * (0.5 + chance / 2)
    # A spread on top: all that were sent away together must not come back together.
    return asked + min(asked, policy.first_delay) * chance


def retry_after(headers: Mapping[str, str], wall: float) -> float | None:
    """The seconds a service asks to be left alone; None if it does not say.

    retry-after: 7 -> 7.0     retry-after: Wed, 21 Oct 2026 07:28:00 GMT -> from now until then
    """
    if (milliseconds := _number(headers.get("retry-after-ms", ""))) is not None:
        return milliseconds / 1000
    text = headers.get("retry-after", "").strip()
    if (seconds := _number(text)) is not None:
        return seconds
    return _until(text, wall)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return max(0.0, value) if isfinite(value) else None


def _until(date: str, wall: float) -> float | None:
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return None
    if moment.tzinfo is None:  # the standard says GMT
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, moment.timestamp() - wall)


# ---- How many requests a service gets at once: as many as it bears.

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

    def __init__(self, most: int, per_minute: int | None = None, clock: RequestClock | None = None) -> None:
        self.window = Window(most=most, per_minute=per_minute)
        self._clock = clock or SystemClock()
        self._changed = asyncio.Event()
        self._turn = asyncio.Lock()

    @asynccontextmanager
    async def slot(self, stop_signal: StopSignal | None = None) -> AsyncIterator[float]:
        """Wait for a place and hold it; gives the time of the start. SendingStopped if that comes first."""
        started = await (stop_signal.or_stopped(self._admitted()) if stop_signal else self._admitted())
        try:
            if stop_signal is not None:
                stop_signal.raise_if_set()
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


# ---- The end of sending: requests that are sent go on, those that wait to be sent are given up.

T = TypeVar("T")


class SendingStopped(Exception):  # noqa: N818 - not an error: nothing was sent, and nothing more is to be
    """Sending was stopped before the request was sent."""


class StopSignal:
    """Set once nothing more is to be sent. Used from one event loop."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def set(self) -> None:
        self._event.set()

    def raise_if_set(self) -> None:
        """SendingStopped if it is set."""
        if self._event.is_set():
            raise SendingStopped

    async def or_stopped(self, waiting: Coroutine[Any, Any, T]) -> T:
        """Await something that comes before a request; SendingStopped if it is set first."""
        wait = asyncio.ensure_future(waiting)
        closed = asyncio.ensure_future(self._event.wait())
        try:
            await asyncio.wait((wait, closed), return_when=asyncio.FIRST_COMPLETED)
            if wait.done():
                return wait.result()
            raise SendingStopped
        finally:
            wait.cancel()
            closed.cancel()
            await asyncio.gather(wait, closed, return_exceptions=True)
