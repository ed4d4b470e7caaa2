"""OpenAI's Responses: effort and summary of the reasoning, which is never asked for in its encrypted form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final

from ..prices import usage
from ..replies import Answer, FailureKind, RequestFailure, failure_within, mapping, text_of
from ..streams import Collector
from .base import Question, known, merged

_LAST: Final = ("response.completed", "response.incomplete", "response.failed", "response.cancelled")
_TEXT: Final = (
    "response.output_text.delta",
    "response.refusal.delta",
    "response.reasoning_text.delta",
    "response.reasoning_summary_text.delta",
)


class Responses:
    name: ClassVar[str] = "responses"
    key_header: ClassVar[str] = "Authorization"
    key_prefix: ClassVar[str] = "Bearer "
    headers: ClassVar[Mapping[str, str]] = {}
    lacks: ClassVar[frozenset[str]] = frozenset({"seed", "thinking_tokens"})

    def path(self, model: str, *, streams: bool) -> str:
        return "/responses"

    def body(self, question: Question) -> dict[str, Any]:
        given = question.parameters
        reasons = bool(given.effort) or question.service.reasons
        summary = "auto" if reasons and given.effort != "none" else None
        reasoning = known({"effort": given.effort, "summary": summary})
        ours = {
            "temperature": given.temperature,
            "top_p": given.top_p,
            "max_output_tokens": given.max_tokens,
            "reasoning": reasoning or None,
            "store": False,
        }
        turns = [{"role": message.role, "content": message.content} for message in question.messages]
        fixed = {"model": question.model, "input": turns, "stream": question.streams}
        return {**merged(known(ours), given.extra), **fixed}

    def collector(self) -> Collector:
        return _ResponseEvents()

    def read(self, document: Mapping[str, Any]) -> Answer | RequestFailure:
        if failure := failure_within(document):
            return failure
        status = text_of(document.get("status"))
        if status not in ("completed", "incomplete"):
            return RequestFailure(
                kind=FailureKind.RETRY, what=f"the response is {status[:64] or 'without a status'}"
            )
        said = mapping(document.get("usage"))
        refusal = "".join(_contents(document, "refusal", "refusal"))
        return Answer(
            text="".join(_contents(document, "output_text", "text")) or refusal,
            finish_reason="refusal" if refusal else _reason(document, status),
            usage=usage(
                said.get("input_tokens"),
                said.get("output_tokens"),
                reasoning=mapping(said.get("output_tokens_details")).get("reasoning_tokens"),
                cache_read=mapping(said.get("input_tokens_details")).get("cached_tokens"),
                cache_written=mapping(said.get("input_tokens_details")).get("cache_write_tokens"),
            ),
            model=text_of(document.get("model")),
            reasoning="\n\n".join(_thoughts(document)),
        )


def _reason(document: Mapping[str, Any], status: str) -> str:
    """`stop`, or why the response is incomplete."""
    if status == "completed":
        return "stop"
    return text_of(mapping(document.get("incomplete_details")).get("reason"))[:64] or status


def _items(document: Mapping[str, Any], kind: str) -> Iterator[Mapping[str, Any]]:
    output = document.get("output")
    items = (mapping(item) for item in (output if isinstance(output, list) else []))
    return (item for item in items if item.get("type") == kind)


def _contents(document: Mapping[str, Any], kind: str, key: str) -> Iterator[str]:
    for item in _items(document, "message"):
        content = item.get("content")
        for part in content if isinstance(content, list) else []:
            if mapping(part).get("type") == kind:
                yield text_of(mapping(part).get(key))


def _thoughts(document: Mapping[str, Any]) -> Iterator[str]:
    """The reasoning itself, where a server shows it; else its summary."""
    for item in _items(document, "reasoning"):
        texts = item.get("content") or item.get("summary")
        for part in texts if isinstance(texts, list) else []:
            if text := text_of(mapping(part).get("text")):
                yield text


class _ResponseEvents:
    """The last event carries the whole response; those before only show that something happens."""

    def __init__(self) -> None:
        self.is_over = False
        self.size = 0
        self._response: dict[str, Any] | None = None

    def add(self, event: dict[str, Any]) -> None:
        kind = event.get("type")
        if kind in _TEXT:
            self.size += len(text_of(event.get("delta")))
        elif kind in _LAST:
            self.is_over, self._response = True, dict(mapping(event.get("response")))
        elif kind == "error":  # an event of its own, without an `error` inside
            self.is_over, self._response = True, {"error": {key: event.get(key) for key in _ERROR}}

    def done(self) -> None:
        self.is_over = True

    def document(self) -> dict[str, Any] | None:
        return self._response


_ERROR: Final = ("code", "message", "param")
