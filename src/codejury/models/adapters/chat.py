"""OpenAI's chat completions: the format that nearly every server speaks, each in its own way.

Reasoning comes as `reasoning_content` or `reasoning`, as a part of its own in a list of parts, or between
`<think>` tags in the text itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar, Final

from ..prices import Usage, usage
from ..replies import Answer, FailureKind, RequestFailure, failure_within, mapping, text_of
from ..streams import Collector
from .base import Question, known, merged

_REASONING: Final = ("reasoning_content", "reasoning")


class ChatCompletions:
    name: ClassVar[str] = "chat"
    key_header: ClassVar[str] = "Authorization"
    key_prefix: ClassVar[str] = "Bearer "
    headers: ClassVar[Mapping[str, str]] = {}
    lacks: ClassVar[frozenset[str]] = frozenset({"thinking_tokens"})

    def path(self, model: str, *, streams: bool) -> str:
        return "/chat/completions"

    def body(self, question: Question) -> dict[str, Any]:
        given = question.parameters
        names = {"effort": "reasoning_effort", **question.service.names}
        named: dict[str, Any] = {}
        for name, value in given.sampling().items():
            _set(named, names.get(name, name), value)
        turns = [{"role": message.role, "content": message.content} for message in question.messages]
        ours = {"model": question.model, "messages": turns, "stream": question.streams}
        if question.streams and question.service.stream_options:
            ours["stream_options"] = {"include_usage": True}
        return {**merged(named, given.extra), **ours}

    def collector(self) -> Collector:
        return _ChatChunks()

    def read(self, document: Mapping[str, Any]) -> Answer | RequestFailure:
        """The first choice."""
        if failure := failure_within(document):
            return failure
        message, reason = _first_choice(document)
        if message is None:
            return RequestFailure(kind=FailureKind.RETRY, what="the server sent no choice with a message")
        refusal = text_of(message.get("refusal"))
        thought = next((text for key in _REASONING if (text := text_of(message.get(key)))), "")
        text, said = without_thoughts(text_of(message.get("content")), is_cut=reason == "length")
        return Answer(
            text=text or refusal,
            finish_reason="refusal" if refusal else reason,
            usage=_usage(mapping(document.get("usage"))),
            model=text_of(document.get("model")),
            reasoning=thought or _thinking_parts(message.get("content")) or said,
        )


def _set(body: dict[str, Any], path: str, value: Any) -> None:
    """`reasoning.effort` -> a table in the body."""
    *tables, name = path.split(".")
    for table in tables:
        body = body.setdefault(table, {})
    body[name] = value


def _first_choice(document: Mapping[str, Any]) -> tuple[Mapping[str, Any] | None, str]:
    choices = document.get("choices")
    first = mapping(choices[0]) if isinstance(choices, list) and choices else {}
    message, reason = first.get("message"), text_of(first.get("finish_reason"))[:64]
    if isinstance(message, dict):
        return message, reason
    # Where a filter swallowed the whole message, the reason alone is the answer.
    return ({} if reason else None), reason


def _usage(said: Mapping[str, Any]) -> Usage:
    read, written = mapping(said.get("prompt_tokens_details")), mapping(said.get("completion_tokens_details"))
    cached = read.get("cached_tokens")
    return usage(
        said.get("prompt_tokens"),
        said.get("completion_tokens"),
        reasoning=written.get("reasoning_tokens"),
        cache_read=said.get("prompt_cache_hit_tokens") if cached is None else cached,
        cache_written=read.get("cache_write_tokens"),
    )


def _thinking_parts(content: Any) -> str:
    """Mistral's: [{"type": "thinking", "thinking": [{"text": "..."}]}, {"type": "text", ...}]."""
    parts = content if isinstance(content, list) else []
    return "".join(text_of(mapping(part).get("thinking")) for part in parts)


_OPENING: Final = re.compile(r"\s*<(think|thinking)>", re.IGNORECASE)


def without_thoughts(text: str, *, is_cut: bool) -> tuple[str, str]:
    """The answer, and what stands between `<think>` tags before it.

    Only at the beginning: further on, a tag may be part of the code. A model that was cut short while it
    thought has not begun its answer.

    "<think>a</think>b" -> "b", "a"       "<think>a", is_cut -> "", "a"       "<think>a" -> unchanged
    """
    thoughts = []
    while opening := _OPENING.match(text):
        closing = re.compile(f"</{opening[1]}>", re.IGNORECASE).search(text, opening.end())
        if closing is None and not is_cut:
            break
        end, after = (closing.start(), closing.end()) if closing else (len(text), len(text))
        thoughts.append(text[opening.end() : end].strip("\n"))
        text = text[after:].lstrip("\n")
    return text, "\n\n".join(thoughts)


class _ChatChunks:
    """`chat.completion.chunk` events, put together into a `chat.completion`."""

    def __init__(self) -> None:
        self.is_over = False
        self.size = 0
        self._message: dict[str, list[Any]] = {}
        self._reason = ""
        self._usage: Any = None
        self._model = ""

    def add(self, event: dict[str, Any]) -> None:
        self._model = self._model or text_of(event.get("model"))
        self._usage = event.get("usage") or self._usage
        choices = event.get("choices")
        for choice in choices if isinstance(choices, list) else []:
            if mapping(choice).get("index", 0) == 0:
                self._take(mapping(choice))

    def _take(self, choice: Mapping[str, Any]) -> None:
        self._reason = text_of(choice.get("finish_reason")) or self._reason
        delta = mapping(choice.get("delta"))
        for key in ("content", "refusal", *_REASONING):
            value = delta.get(key)
            if isinstance(value, str | list) and value:
                self._message.setdefault(key, []).append(value)
                self.size += len(text_of(value) or _thinking_parts(value))

    def done(self) -> None:
        self.is_over = True

    def document(self) -> dict[str, Any] | None:
        if not self._reason:
            return None
        message = {key: _joined(values) for key, values in self._message.items()}
        choice = {"index": 0, "finish_reason": self._reason, "message": message}
        return known({"choices": [choice], "usage": self._usage, "model": self._model})


def _joined(values: list[Any]) -> str | list[Any]:
    """Texts as one text; where there are lists of parts, one list of all."""
    if all(isinstance(value, str) for value in values):
        return "".join(values)
    parts = [[{"type": "text", "text": value}] if isinstance(value, str) else value for value in values]
    return [part for each in parts for part in each]
