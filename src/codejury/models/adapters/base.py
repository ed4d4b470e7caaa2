"""What an adapter is, and what all of them need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from ...records import Message
from ..protocol import Parameters
from ..providers import Provider
from ..replies import Answer, RequestFailure
from ..streams import Collector


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """All that goes into a request."""

    model: str
    """What the service calls it."""
    messages: Sequence[Message]
    parameters: Parameters
    """Those that are really sent."""
    service: Provider
    streams: bool = False


class Adapter(Protocol):
    """One wire format. Pure."""

    name: ClassVar[str]
    key_header: ClassVar[str]
    """The header that carries the key."""
    key_prefix: ClassVar[str]
    """Stands before the key in it."""
    headers: ClassVar[Mapping[str, str]]
    """Sent with every request."""
    lacks: ClassVar[frozenset[str]]
    """Parameters that this format has no place for, unless a service has one: then it names it."""

    def path(self, model: str, *, streams: bool) -> str:
        """Where a request goes, below the service's address."""

    def body(self, question: Question) -> dict[str, Any]:
        """What is sent."""

    def collector(self) -> Collector:
        """For the events of one stream."""

    def read(self, document: Mapping[str, Any]) -> Answer | RequestFailure:
        """What a reply says, in one piece or put together from a stream."""


def merged(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> dict[str, Any]:
    """Our fields, and over them the user's own, table by table. An empty text takes a field out.

    {"reasoning": {"effort": "low"}}, {"reasoning": {"summary": "detailed"}} -> both
    """
    result = dict(ours)
    for name, value in theirs.items():
        if isinstance(value, dict) and isinstance(result.get(name), dict):
            value = merged(result[name], value)
        result[name] = value
    return {name: value for name, value in result.items() if value != ""}


def known(values: Mapping[str, Any]) -> dict[str, Any]:
    """Those that are set."""
    return {name: value for name, value in values.items() if value is not None}


def system_and_turns(messages: Sequence[Message]) -> tuple[str, list[Message]]:
    """Services of their own kind have one place for what the system says, apart from the turns."""
    system = "\n\n".join(message.content for message in messages if message.role == "system")
    return system, [message for message in messages if message.role != "system"]
