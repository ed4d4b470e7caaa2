"""Services as their own packages describe them: their types check every request, and make every reply.

Each service turns one `Said` into a reply in one piece and into the events of a stream.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import anthropic.types as claude
import openai.types.chat as chat
import openai.types.responses as responses
from anthropic.types.message_create_params import (
    MessageCreateParamsNonStreaming,
    MessageCreateParamsStreaming,
)
from google.genai import types as gemini
from openai.types.chat import completion_create_params as chat_params
from openai.types.responses import response_create_params as response_params
from pydantic import BaseModel, TypeAdapter

from servers import Act, Request


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a service is to say."""

    text: str = "add_two(x) = x + 2"
    reasoning: str = ""
    cut: bool = False
    read: int = 10
    written: int = 5
    thought: int = 0
    """Tokens of reasoning, among those written."""
    cached: int = 0
    """Tokens from a cache, among those read."""


class Service(Protocol):
    adapter: str
    path: str
    cut_short: str

    def check(self, request: Request) -> None:
        """Fail unless the service's own types take the request as it is."""

    def whole(self, said: Said) -> dict[str, Any]: ...
    def events(self, said: Said) -> list[dict[str, Any]]: ...


def exhausted(value: Any) -> Any:
    """Validated iterables are lazy: look at all of them."""
    if isinstance(value, Mapping):
        return {key: exhausted(item) for key, item in value.items()}
    if isinstance(value, str | bytes | BaseModel) or not isinstance(value, Iterable):
        return value
    return [exhausted(item) for item in value]


def takes(kind: Any, body: dict[str, Any]) -> None:
    """A type takes a body whole: an unknown field would be missing from what comes out."""
    assert exhausted(TypeAdapter(kind).validate_python(body)) == body


def plain(value: BaseModel) -> dict[str, Any]:
    return value.model_dump(mode="json", exclude_none=True, by_alias=True)


def halves(text: str) -> list[str]:
    """A text in two pieces; none for an empty one."""
    middle = len(text) // 2 or 1
    return [piece for piece in (text[:middle], text[middle:]) if piece]


class Claude:
    adapter = "messages"
    path = "/v1/messages"
    cut_short = "max_tokens"

    def check(self, request: Request) -> None:
        streams = request.body["stream"]
        takes(MessageCreateParamsStreaming if streams else MessageCreateParamsNonStreaming, request.body)
        assert request.headers["anthropic-version"] == "2026-10-21"

    def usage(self, said: Said) -> claude.Usage:
        details = claude.OutputTokensDetails(thinking_tokens=said.thought)
        return claude.Usage(
            input_tokens=said.read - said.cached,
            cache_read_input_tokens=said.cached,
            cache_creation_input_tokens=0,
            output_tokens=said.written,
            output_tokens_details=details,
        )

    def whole(self, said: Said) -> dict[str, Any]:
        blocks: list[Any] = []
        if said.reasoning:
            blocks.append(claude.ThinkingBlock(type="thinking", thinking=said.reasoning, signature="sig"))
        if said.text:
            blocks.append(claude.TextBlock(type="text", text=said.text))
        return plain(self._message(blocks, "max_tokens" if said.cut else "end_turn", self.usage(said)))

    def _message(self, blocks: list[Any], reason: Any, usage: claude.Usage) -> claude.Message:
        return claude.Message(
            id="msg_1", type="message", role="assistant", model="claude-opus-5-5", content=blocks,
            stop_reason=reason, usage=usage,
        )  # fmt: skip

    def events(self, said: Said) -> list[dict[str, Any]]:
        start = self.usage(said).model_copy(update={"output_tokens": 1, "output_tokens_details": None})
        events: list[BaseModel] = [
            claude.RawMessageStartEvent(type="message_start", message=self._message([], None, start))
        ]
        kinds = [("thinking", said.reasoning), ("text", said.text)]
        for index, (kind, text) in enumerate((kind, text) for kind, text in kinds if text):
            events += self._block(index, kind, text)
        delta = {"stop_reason": "max_tokens" if said.cut else "end_turn"}
        usage = {"output_tokens": said.written, "output_tokens_details": {"thinking_tokens": said.thought}}
        events += [
            claude.RawMessageDeltaEvent.model_validate(
                {"type": "message_delta", "delta": delta, "usage": usage}
            ),
            claude.RawMessageStopEvent(type="message_stop"),
        ]
        return [plain(event) for event in events]

    def _block(self, index: int, kind: str, text: str) -> list[BaseModel]:
        empty = {"type": kind, kind: ""} | ({"signature": ""} if kind == "thinking" else {})
        start = {"type": "content_block_start", "index": index, "content_block": empty}
        deltas = [
            {"type": "content_block_delta", "index": index, "delta": {"type": f"{kind}_delta", kind: piece}}
            for piece in halves(text)
        ]
        return [
            claude.RawContentBlockStartEvent.model_validate(start),
            *map(claude.RawContentBlockDeltaEvent.model_validate, deltas),
            claude.RawContentBlockStopEvent(type="content_block_stop", index=index),
        ]


class OpenAI:
    adapter = "responses"
    path = "/v1/responses"
    cut_short = "max_output_tokens"

    def check(self, request: Request) -> None:
        takes(
            response_params.ResponseCreateParamsStreaming
            if request.body["stream"]
            else response_params.ResponseCreateParamsNonStreaming,
            request.body,
        )

    def whole(self, said: Said) -> dict[str, Any]:
        output: list[Any] = []
        if said.reasoning:
            summary = [{"type": "summary_text", "text": said.reasoning}]
            output.append({"type": "reasoning", "id": "rs_1", "summary": summary})
        if said.text:
            part = {"type": "output_text", "text": said.text, "annotations": []}
            message = {"id": "m", "type": "message", "role": "assistant", "status": "completed"}
            output.append({**message, "content": [part]})
        return plain(
            responses.Response.model_validate(
                {
                    "id": "resp_1", "object": "response", "created_at": 1.0, "model": "gpt-6",
                    "output": output, "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
                    "status": "incomplete" if said.cut else "completed",
                    "incomplete_details": {"reason": "max_output_tokens"} if said.cut else None,
                    "usage": {
                        "input_tokens": said.read, "output_tokens": said.written,
                        "total_tokens": said.read + said.written,
                        "input_tokens_details": {"cached_tokens": said.cached, "cache_write_tokens": 0},
                        "output_tokens_details": {"reasoning_tokens": said.thought},
                    },
                }
            )
        )  # fmt: skip

    def events(self, said: Said) -> list[dict[str, Any]]:
        whole = self.whole(said)
        at: dict[str, Any] = {"item_id": "x", "output_index": 0}
        thoughts = [
            {"type": "response.reasoning_summary_text.delta", "delta": piece, "summary_index": 0, **at}
            for piece in halves(said.reasoning)
        ]
        texts = [
            {"type": "response.output_text.delta", "delta": p, "content_index": 0, "logprobs": [], **at}
            for p in halves(said.text)
        ]
        begun = {**whole, "status": "in_progress", "output": []}
        last = "response.incomplete" if said.cut else "response.completed"
        raw = [
            {"type": "response.created", "response": begun},
            *thoughts,
            *texts,
            {"type": last, "response": whole},
        ]
        adapter: TypeAdapter[Any] = TypeAdapter(responses.ResponseStreamEvent)
        return [
            plain(adapter.validate_python({**event, "sequence_number": number}))
            for number, event in enumerate(raw)
        ]


class Chat:
    adapter = "chat"
    path = "/v1/chat/completions"
    cut_short = "length"

    def check(self, request: Request) -> None:
        takes(
            chat_params.CompletionCreateParamsStreaming
            if request.body["stream"]
            else chat_params.CompletionCreateParamsNonStreaming,
            request.body,
        )

    def _usage(self, said: Said) -> dict[str, Any]:
        return {
            "prompt_tokens": said.read, "completion_tokens": said.written,
            "total_tokens": said.read + said.written,
            "prompt_tokens_details": {"cached_tokens": said.cached},
            "completion_tokens_details": {"reasoning_tokens": said.thought},
        }  # fmt: skip

    def whole(self, said: Said) -> dict[str, Any]:
        message = {"role": "assistant", "content": said.text}
        if said.reasoning:
            message["reasoning_content"] = said.reasoning
        reason = "length" if said.cut else "stop"
        choice = {"index": 0, "finish_reason": reason, "message": message}
        return plain(
            chat.ChatCompletion.model_validate(
                {
                    "id": "c", "object": "chat.completion", "created": 1, "model": "m",
                    "choices": [choice], "usage": self._usage(said),
                }
            )
        )  # fmt: skip

    def events(self, said: Said) -> list[dict[str, Any]]:
        deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
        deltas += [{"reasoning_content": piece} for piece in halves(said.reasoning)]
        deltas += [{"content": piece} for piece in halves(said.text)]
        chunks: list[dict[str, Any]] = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
        reason = "length" if said.cut else "stop"
        chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
        chunks.append({"choices": [], "usage": self._usage(said)})
        common = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        return [plain(chat.ChatCompletionChunk.model_validate({**common, **chunk})) for chunk in chunks]


class Gemini:
    adapter = "generate_content"
    path = "/v1/models/mine:generateContent"
    cut_short = "MAX_TOKENS"

    def check(self, request: Request) -> None:
        """The package has types for the parts of a body, which take no other fields."""
        body = dict(request.body)
        for content in body.pop("contents"):
            assert plain(gemini.Content.model_validate(content)) == content
        if system := body.pop("systemInstruction", None):
            assert plain(gemini.Content.model_validate(system)) == system
        config = body.pop("generationConfig", {})
        assert plain(gemini.GenerationConfig.model_validate(config)) == config
        assert body == {}

    def _reply(self, parts: list[dict[str, Any]], said: Said | None) -> dict[str, Any]:
        candidate: dict[str, Any] = {"index": 0, "content": {"role": "model", "parts": parts}}
        reply: dict[str, Any] = {"candidates": [candidate], "modelVersion": "gemini-2.5-pro"}
        if said is not None:
            candidate["finishReason"] = "MAX_TOKENS" if said.cut else "STOP"
            reply["usageMetadata"] = {
                "promptTokenCount": said.read, "candidatesTokenCount": said.written - said.thought,
                "thoughtsTokenCount": said.thought, "cachedContentTokenCount": said.cached,
            }  # fmt: skip
        return plain(gemini.GenerateContentResponse.model_validate(reply))

    def whole(self, said: Said) -> dict[str, Any]:
        parts: list[dict[str, Any]] = [{"text": said.reasoning, "thought": True}] if said.reasoning else []
        return self._reply([*parts, *([{"text": said.text}] if said.text else [])], said)

    def events(self, said: Said) -> list[dict[str, Any]]:
        thoughts = [self._reply([{"text": p, "thought": True}], None) for p in halves(said.reasoning)]
        texts = [self._reply([{"text": piece}], None) for piece in halves(said.text)]
        return [*thoughts, *texts, self._reply([], said)]


SERVICES: tuple[Service, ...] = (Claude(), OpenAI(), Chat(), Gemini())


# Acts


def event_bytes(event: dict[str, Any] | bytes) -> bytes:
    if isinstance(event, bytes):
        return event
    name = f"event: {event['type']}\n" if "type" in event else ""
    return f"{name}data: {json.dumps(event)}\n\n".encode()


def streams(
    events: Iterable[dict[str, Any] | bytes], *, pause: float = 0.0, chunk: int = 7, stays: bool = False
) -> Act:
    """Sends events in small pieces, cut anywhere; then closes the connection, or `stays` silent."""
    data = b"".join(map(event_bytes, events))

    async def act(writer: asyncio.StreamWriter, request: Request) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\r\n")
        for start in range(0, len(data), chunk):
            writer.write(data[start : start + chunk])
            await writer.drain()
            await asyncio.sleep(pause)
        if stays:
            await asyncio.sleep(60)
        writer.close()

    return act


DONE = b"data: [DONE]\n\n"
