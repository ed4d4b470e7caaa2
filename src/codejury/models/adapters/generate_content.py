"""Google's generateContent: thinking by a level or a budget; thoughts are parts of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar
from urllib.parse import quote

from ..prices import Usage, added, usage
from ..replies import Answer, FailureKind, RequestFailure, failure_within, mapping, text_of
from ..streams import Collector
from .base import Question, known, merged, system_and_turns


class GenerateContent:
    name: ClassVar[str] = "generate_content"
    key_header: ClassVar[str] = "x-goog-api-key"
    key_prefix: ClassVar[str] = ""
    headers: ClassVar[Mapping[str, str]] = {}
    lacks: ClassVar[frozenset[str]] = frozenset()

    def path(self, model: str, *, streams: bool) -> str:
        verb = "streamGenerateContent?alt=sse" if streams else "generateContent"
        return f"/models/{quote(model)}:{verb}"

    def body(self, question: Question) -> dict[str, Any]:
        given = question.parameters
        system, turns = system_and_turns(question.messages)
        config = {
            "temperature": given.temperature,
            "topP": given.top_p,
            "maxOutputTokens": given.max_tokens,
            "seed": given.seed,
            "thinkingConfig": _thinking(question) or None,
        }
        ours = {"generationConfig": known(config) or None}
        fixed = {
            "contents": [
                {"role": "model" if turn.role == "assistant" else "user", "parts": [{"text": turn.content}]}
                for turn in turns
            ],
            "systemInstruction": {"parts": [{"text": system}]} if system else None,
        }
        return {**merged(known(ours), given.extra), **known(fixed)}

    def collector(self) -> Collector:
        return _GeneratedChunks()

    def read(self, document: Mapping[str, Any]) -> Answer | RequestFailure:
        if failure := failure_within(document):
            return failure
        candidate, reason = _first_candidate(document)
        if not reason:
            return RequestFailure(
                kind=FailureKind.RETRY, what="the server sent no candidate with a reason to stop"
            )
        return Answer(
            text="".join(_texts(candidate, thought=False)),
            finish_reason="stop" if reason == "STOP" else reason,
            usage=_usage(mapping(document.get("usageMetadata"))),
            model=text_of(document.get("modelVersion")),
            reasoning="".join(_texts(candidate, thought=True)),
        )


def _thinking(question: Question) -> dict[str, Any]:
    effort, budget = question.parameters.effort, question.parameters.thinking_tokens
    if effort == "none" and budget is None:
        return {"thinkingBudget": 0}
    level = effort.upper() if effort and effort != "none" else None
    asked = known({"thinkingBudget": budget, "thinkingLevel": level})
    return {"includeThoughts": True, **asked} if asked or question.service.reasons else {}


def _first_candidate(document: Mapping[str, Any]) -> tuple[Mapping[str, Any], str]:
    """The candidate and why it ended; where the prompt itself was blocked, nothing and why."""
    candidates = document.get("candidates")
    first = mapping(candidates[0]) if isinstance(candidates, list) and candidates else {}
    blocked = text_of(mapping(document.get("promptFeedback")).get("blockReason"))
    return first, (text_of(first.get("finishReason")) or blocked)[:64]


def _parts(candidate: Mapping[str, Any]) -> list[Any]:
    parts = mapping(candidate.get("content")).get("parts")
    return parts if isinstance(parts, list) else []


def _texts(candidate: Mapping[str, Any], *, thought: bool) -> Iterator[str]:
    return (
        text_of(part.get("text"))
        for part in map(mapping, _parts(candidate))
        if bool(part.get("thought")) is thought
    )


def _usage(said: Mapping[str, Any]) -> Usage:
    thoughts = said.get("thoughtsTokenCount")
    answer = said.get("candidatesTokenCount")
    nothing_but_thoughts = answer is None and thoughts is not None
    return usage(
        said.get("promptTokenCount"),
        thoughts if nothing_but_thoughts else added(answer, thoughts),
        reasoning=thoughts,
        cache_read=said.get("cachedContentTokenCount"),
    )


class _GeneratedChunks:
    """Each event is a reply of its own with the next parts; the last one has the reason and the counts."""

    def __init__(self) -> None:
        self.is_over = False  # the service closes the connection, and says nothing more
        self.size = 0
        self._parts: list[Any] = []
        self._reason = ""
        self._rest: dict[str, Any] = {}

    def add(self, event: dict[str, Any]) -> None:
        candidates = event.get("candidates")
        for candidate in map(mapping, candidates if isinstance(candidates, list) else []):
            if candidate.get("index", 0) == 0:
                parts = _parts(candidate)
                self._parts += parts
                self.size += sum(len(text_of(mapping(part).get("text"))) for part in parts)
                self._reason = text_of(candidate.get("finishReason")) or self._reason
        self._rest |= known(
            {key: event.get(key) for key in ("usageMetadata", "modelVersion", "promptFeedback")}
        )

    def done(self) -> None:
        self.is_over = True

    def document(self) -> dict[str, Any] | None:
        blocked = mapping(self._rest.get("promptFeedback")).get("blockReason")
        if not self._reason and not blocked:
            return None
        candidate = {"index": 0, "content": {"role": "model", "parts": self._parts}}
        return {**self._rest, "candidates": [{**candidate, "finishReason": self._reason}]}
