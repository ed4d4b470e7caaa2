"""Anthropic's Messages: a place for what the system says, thinking with a budget or an effort.

The version of the API decides what it takes: the one we send has no temperature, top_p or seed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final

from ..prices import added, usage
from ..replies import Answer, FailureKind, RequestFailure, failure_within, mapping, text_of
from ..streams import Collector
from .base import Question, known, merged, system_and_turns

VERSION: Final = "2026-10-21"
SHOWN: Final = "summarized"
"""How much of the thinking is told: as much as the service ever tells."""


class Messages:
    name: ClassVar[str] = "messages"
    key_header: ClassVar[str] = "x-api-key"
    key_prefix: ClassVar[str] = ""
    headers: ClassVar[Mapping[str, str]] = {"anthropic-version": VERSION}
    lacks: ClassVar[frozenset[str]] = frozenset({"temperature", "top_p", "seed"})

    def path(self, model: str, *, streams: bool) -> str:
        return "/messages"

    def body(self, question: Question) -> dict[str, Any]:
        given = question.parameters
        system, turns = system_and_turns(question.messages)
        effort = None if given.effort == "none" else given.effort
        ours = {
            "max_tokens": given.max_tokens,
            "thinking": _thinking(given.effort, given.thinking_tokens),
            "output_config": {"effort": effort} if effort else None,
        }
        fixed = {
            "model": question.model,
            "system": system or None,
            "messages": [{"role": message.role, "content": message.content} for message in turns],
            "stream": question.streams,
        }
        return {**merged(known(ours), given.extra), **known(fixed)}

    def collector(self) -> Collector:
        return _MessageEvents()

    def read(self, document: Mapping[str, Any]) -> Answer | RequestFailure:
        if failure := failure_within(document):
            return failure
        reason = text_of(document.get("stop_reason"))[:64]
        blocks = document.get("content")
        if not isinstance(blocks, list) or not reason:
            return RequestFailure(
                kind=FailureKind.RETRY, what="the server sent no message with a reason to stop"
            )
        said = mapping(document.get("usage"))
        cache_read, cached = said.get("cache_read_input_tokens"), said.get("cache_creation_input_tokens")
        return Answer(
            text="".join(_texts(blocks, "text", "text")),
            finish_reason="stop" if reason == "end_turn" else reason,
            usage=usage(
                added(said.get("input_tokens"), cache_read, cached),
                said.get("output_tokens"),
                reasoning=mapping(said.get("output_tokens_details")).get("thinking_tokens"),
                cache_read=cache_read,
                cache_written=cached,
            ),
            model=text_of(document.get("model")),
            reasoning="\n\n".join(_texts(blocks, "thinking", "thinking")),
        )


def _thinking(effort: str | None, budget: int | None) -> dict[str, Any] | None:
    """A budget, or the model's own measure at some effort; nothing where neither is asked for."""
    if budget:
        return {"type": "enabled", "budget_tokens": budget, "display": SHOWN}
    if effort == "none" or budget == 0:
        return {"type": "disabled"}
    return {"type": "adaptive", "display": SHOWN} if effort else None


def _texts(blocks: list[Any], kind: str, key: str) -> Iterator[str]:
    for block in map(mapping, blocks):
        if block.get("type") == kind and (text := text_of(block.get(key))):
            yield text


_DELTAS: Final = {"text_delta": "text", "thinking_delta": "thinking"}


class _MessageEvents:
    """Puts a Message together: its beginning, its blocks piece by piece, its end with the usage."""

    def __init__(self) -> None:
        self.is_over = False
        self.size = 0
        self._message: dict[str, Any] = {}
        self._blocks: dict[int, dict[str, Any]] = {}
        self._pieces: dict[tuple[int, str], list[str]] = {}

    def add(self, event: dict[str, Any]) -> None:
        match event.get("type"):
            case "message_start":
                self._message = dict(mapping(event.get("message")))
            case "content_block_start":
                self._blocks[_index(event)] = dict(mapping(event.get("content_block")))
            case "content_block_delta":
                self._append(_index(event), mapping(event.get("delta")))
            case "message_delta":
                self._end(mapping(event.get("delta")), mapping(event.get("usage")))
            case "message_stop":
                self.is_over = True

    def _append(self, index: int, delta: Mapping[str, Any]) -> None:
        key = _DELTAS.get(str(delta.get("type")))
        if key is not None and index in self._blocks:
            piece = text_of(delta.get(key))
            self._pieces.setdefault((index, key), []).append(piece)
            self.size += len(piece)

    def _end(self, delta: Mapping[str, Any], last: Mapping[str, Any]) -> None:
        """Counts are those of the whole message so far: the last ones told are right."""
        self._message["stop_reason"] = delta.get("stop_reason")
        self._message["usage"] = {**mapping(self._message.get("usage")), **known(last)}

    def done(self) -> None:
        self.is_over = True

    def document(self) -> dict[str, Any] | None:
        if not self._message.get("stop_reason"):
            return None
        for (index, key), pieces in self._pieces.items():
            self._blocks[index][key] = text_of(self._blocks[index].get(key)) + "".join(pieces)
        self._pieces.clear()
        return {**self._message, "content": [block for _, block in sorted(self._blocks.items())]}


def _index(event: Mapping[str, Any]) -> int:
    index = event.get("index")
    return index if type(index) is int else 0
