"""Many items at once, with results in the order of the items."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_order(
    items: Iterable[Item], start: Callable[[Item], Future[Result]], *, window: int
) -> Generator[tuple[Item, Result]]:
    """Start each item and yield it with its result; reads at most `window` items ahead.

    However the caller leaves, what nobody has begun with is cancelled.
    """
    waiting: deque[tuple[Item, Future[Result]]] = deque()
    try:
        for item in items:
            waiting.append((item, start(item)))
            while waiting and (len(waiting) >= window or waiting[0][1].done()):
                done, future = waiting.popleft()
                yield done, future.result()
        while waiting:
            done, future = waiting.popleft()
            yield done, future.result()
    finally:
        for _, future in waiting:
            future.cancel()
