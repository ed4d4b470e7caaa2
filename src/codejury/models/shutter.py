"""The end of sending: requests that are sent go on, those that wait to be sent are given up."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Shut(Exception):  # noqa: N818 - not an error: nothing was sent, and nothing more is to be
    """The shutter came down first."""


class Shutter:
    """Open until nothing more is to be sent. Used from one event loop."""

    def __init__(self) -> None:
        self._down = asyncio.Event()

    def close(self) -> None:
        self._down.set()

    def check(self) -> None:
        """Shut if it is closed."""
        if self._down.is_set():
            raise Shut

    async def unless_closed(self, waiting: Coroutine[Any, Any, T]) -> T:
        """Await something that comes before a request; Shut if the shutter comes down first."""
        wait = asyncio.ensure_future(waiting)
        closed = asyncio.ensure_future(self._down.wait())
        try:
            await asyncio.wait((wait, closed), return_when=asyncio.FIRST_COMPLETED)
            if wait.done():
                return wait.result()
            raise Shut
        finally:
            wait.cancel()
            closed.cancel()
            await asyncio.gather(wait, closed, return_exceptions=True)
