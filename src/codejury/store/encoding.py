"""Between records and the JSON of conversations, and how all JSON of ours is spelt. `checking` checks."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, Final, cast

from ..records import Completion, Message
from .formats import ROLES, SCHEMA, MessageDict, RequestDict
from .samples import Conversation, Request

_TYPES: Final = {role: kind for kind, role in ROLES.items()}
_REQUEST_FIELDS: Final = tuple(field.name for field in fields(Request))


def to_bytes(value: object) -> bytes:
    """Compact JSON on one line, whatever it is given: an answer that was paid for is not lost over a detail.

    Infinities and NaN become null, halves of surrogate pairs U+FFFD, unknown types their text.
    """
    text = json.dumps(_plain(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


def _plain(value: object) -> object:
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return str(value)


def conversation_dicts(
    request: Request, timestamp: str, messages: Sequence[Message], completions: Sequence[Completion]
) -> list[MessageDict]:
    """The file of a conversation: what was sent, then the last completion as the answer."""
    said = iter(completions)
    out = [_message(m) if m.role != "assistant" else _ai_message(next(said), request) for m in messages]
    _name_variables(out, request.variables)
    answer = _ai_message(next(said), request)
    answer["codejury"] = _request_dict(request, timestamp)
    return [*out, answer]


def _message(message: Message) -> MessageDict:
    return {"content": message.content, "variables": [], "_type": _TYPES[message.role]}


def _name_variables(messages: Iterable[MessageDict], variables: Mapping[str, str]) -> None:
    """The predecessor lists what a template filled in by name, on the user's message."""
    for message in messages:
        if message["_type"] == "usermessage":
            message["variables"] = list(variables)
            return


def _ai_message(completion: Completion, request: Request) -> MessageDict:
    return {
        "content": completion.text,
        "status": 200,
        "tokens": [completion.prompt_tokens, completion.completion_tokens],
        "elapsed": completion.elapsed_seconds,
        "cost": completion.cost,
        "log_prob": None,
        "finish_reason": completion.finish_reason or None,
        "run_id": request.run_id,
        "sample_id": request.sample,
        "_type": "aimessage",
        "retries": completion.retries,
    }


def _request_dict(request: Request, timestamp: str) -> RequestDict:
    facts = {name: getattr(request, name) for name in _REQUEST_FIELDS}
    return cast(RequestDict, {"codejury_schema": SCHEMA, "timestamp": timestamp, **facts})


def conversation_record(messages: Sequence[MessageDict]) -> Conversation:
    """A checked conversation file as a record."""
    facts = cast(dict[str, Any] | None, messages[-1].get("codejury"))
    return Conversation(
        messages=tuple(Message(role=ROLES[m["_type"]], content=m["content"] or "") for m in messages),
        completions=tuple(_completion(m) for m in messages if m["_type"] == "aimessage"),
        request=request_of(facts) if facts else None,
        timestamp=facts["timestamp"] if facts else "",
    )


def _completion(message: MessageDict) -> Completion:
    prompt_tokens, completion_tokens = message.get("tokens") or (None, None)
    return Completion(
        text=message["content"] or "",
        prompt_tokens=_known(prompt_tokens),
        completion_tokens=_known(completion_tokens),
        elapsed_seconds=message.get("elapsed") or 0.0,
        cost=message.get("cost"),
        finish_reason=message.get("finish_reason") or "",
        retries=message.get("retries", 0),
    )


def _known(tokens: int | None) -> int | None:
    """The predecessor's library writes -1 where it does not know."""
    return None if tokens is None or tokens < 0 else tokens


def request_of(facts: Mapping[str, Any], **more: Any) -> Request:
    """The request that either file describes; what the predecessor does not say keeps its default."""
    known = {name: facts[name] for name in _REQUEST_FIELDS if name in facts}
    return Request(**{**more, **known})
