"""A reply that comes in pieces: server-sent events, read as they arrive.

    bytes -> EventReader -> the data of each event -> StreamReader -> one adapter's Collector -> a document

The collector puts the pieces together into the document that the service would have sent in one piece, so
that one function reads both. A stream that ends before its last event is a failure, and it is known how
much had arrived: that is told, and is not an answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Protocol

from .replies import FailureKind, RequestFailure, failure_within, parsed, shortened

DONE: Final = "[DONE]"


class Collector(Protocol):
    """Puts the events of one stream together."""

    is_over: bool
    """The service has said that nothing more comes."""
    size: int
    """Characters that have arrived, of reasoning and answer."""

    def add(self, event: dict[str, Any]) -> None:
        """Take one event. Anything may be in it, or missing."""

    def done(self) -> None:
        """The service closes its stream with a word of its own."""

    def document(self) -> dict[str, Any] | None:
        """All of it, as if it had come in one piece; None if what has come is not all."""


class EventReader:
    """Cuts bytes into events, wherever the network cut them; gives the data of each.

    `data: {"a"` and `: 1}`, then a blank line -> `{"a": 1}`
    """

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[str] = []

    def feed(self, chunk: bytes) -> Iterator[str]:
        lines = (self._rest + chunk).split(b"\n")
        self._rest = lines.pop()
        for line in lines:
            text = line.removesuffix(b"\r").decode("utf-8", "replace")
            if text.startswith("data:"):
                self._data.append(text.removeprefix("data:").removeprefix(" "))
            elif not text and self._data:
                yield from self.end()

    def end(self) -> Iterator[str]:
        """The last event, where no blank line closes it."""
        if self._data:
            yield "\n".join(self._data)
            self._data.clear()

    @property
    def waiting(self) -> int:
        """Bytes of an event that is not complete."""
        return len(self._rest) + sum(map(len, self._data))


class StreamReader:
    """Follows one stream to its end, or to what goes wrong in it."""

    def __init__(self, collector: Collector, *, most: int) -> None:
        """`most` characters of text, or bytes of one event, are too many."""
        self.failure: RequestFailure | None = None
        self._collector = collector
        self._events = EventReader()
        self._most = most

    @property
    def is_over(self) -> bool:
        return self.failure is not None or self._collector.is_over

    @property
    def is_too_long(self) -> bool:
        return self._collector.size > self._most or self._events.waiting > self._most

    def feed(self, chunk: bytes) -> None:
        for data in self._events.feed(chunk):
            self._take(data)

    def end(self) -> None:
        """The connection was closed in an orderly way."""
        for data in self._events.end():
            self._take(data)

    def _take(self, data: str) -> None:
        if self.is_over:
            return
        if data.strip() == DONE:
            self._collector.done()
            return
        event = parsed(data)
        if not isinstance(event, dict):
            self.failure = RequestFailure(
                kind=FailureKind.RETRY, what=f"the stream holds no JSON object: {shortened(data)}"
            )
        elif failure := failure_within(event):
            self.failure = failure
        else:
            self._collector.add(event)

    def so_far(self) -> str:
        """What had arrived, for a message; "" if nothing had."""
        size = self._collector.size
        return f" after {size:,} characters of the answer" if size else ""

    def document(self) -> dict[str, Any] | RequestFailure:
        """The whole reply; a Failure if it did not come to its end."""
        if self.failure is not None:
            return self.failure
        document = self._collector.document()
        if document is None:
            return RequestFailure(kind=FailureKind.RETRY, what=f"the stream broke off{self.so_far()}")
        return document
