"""Between records and the JSON of both files of a sample, and how all JSON of ours is spelt. Pure."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, Final

from msgspec import UNSET, Struct

from ..records import Completion, Evaluation, Execution, Message, verdict_facts
from .predecessor import known_tokens
from .samples import Conversation, Request, StoredEvaluation
from .schema import (
    COMPLETION_FIELDS,
    EVALUATION_FIELDS,
    EXECUTION_FIELDS,
    KEYS,
    REQUEST_FIELDS,
    ROLES,
    SCHEMA,
    AskedFile,
    MessageFile,
)

_TYPES: Final[Mapping[str, Any]] = {role: kind for kind, role in ROLES.items()}


def to_bytes(value: object) -> bytes:
    """Compact JSON on one line, whatever it is given: an answer that was paid for is not lost over a detail.

    Infinities and NaN become null, halves of surrogate pairs U+FFFD, unknown types their text.
    """
    text = json.dumps(_plain(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:
        return whole_characters(text).encode()


def whole_characters(text: str) -> str:
    """The text as a file can hold it: halves of surrogate pairs, which JSON can spell, become U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _plain(value: object) -> object:
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Struct):
        named = zip(value.__struct_encode_fields__, value.__struct_fields__, strict=True)
        said = {key: getattr(value, name) for key, name in named}
        return {key: _plain(item) for key, item in said.items() if item is not UNSET}
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    return str(value)


# ---- Conversations.


def conversation_file(
    request: Request, timestamp: str, messages: Sequence[Message], completions: Sequence[Completion]
) -> list[MessageFile]:
    """The file of a conversation: what was sent, then the last completion as the answer."""
    said = iter(completions)
    out = [_message(m) if m.role != "assistant" else _ai_message(next(said), request) for m in messages]
    first = next((each for each in out if each.kind == "usermessage"), None)
    if first is not None:  # the predecessor lists what a template filled in by name, on the user's message
        first.variables = list(request.variables)
    answer = _ai_message(next(said), request)
    facts = {name: getattr(request, name) for name in REQUEST_FIELDS}
    answer.codejury = AskedFile(codejury_schema=SCHEMA, timestamp=timestamp, **facts)
    return [*out, answer]


def _message(message: Message) -> MessageFile:
    return MessageFile(content=message.content, variables=[], kind=_TYPES[message.role])


def _ai_message(completion: Completion, request: Request) -> MessageFile:
    return MessageFile(
        content=completion.text,
        status=200,
        tokens=(completion.prompt_tokens, completion.completion_tokens),
        elapsed=completion.elapsed_seconds,
        cost=completion.cost,
        log_prob=None,
        finish_reason=completion.finish_reason or None,
        run_id=request.run_id,
        sample_id=request.sample,
        kind="aimessage",
        retries=completion.retries,
        reasoning=completion.reasoning or UNSET,
        reasoning_tokens=UNSET if completion.reasoning_tokens is None else completion.reasoning_tokens,
    )


def conversation_record(messages: Sequence[MessageFile]) -> Conversation:
    """A conversation file as a record."""
    asked: Any = messages[-1].codejury or None
    return Conversation(
        messages=tuple(Message(role=ROLES[m.kind], content=m.content or "") for m in messages),
        completions=tuple(_completion(m) for m in messages if m.kind == "aimessage"),
        request=Request(**{name: getattr(asked, name) for name in REQUEST_FIELDS}) if asked else None,
        timestamp=asked.timestamp if asked else "",
    )


def _completion(message: MessageFile) -> Completion:
    # `or`: older files lack a key, or have null; UNSET is false as well.
    asked, answered = message.tokens or (None, None)
    return Completion(
        text=message.content or "",
        prompt_tokens=known_tokens(asked),
        completion_tokens=known_tokens(answered),
        elapsed_seconds=message.elapsed or 0.0,
        cost=None if message.cost is UNSET else message.cost,
        finish_reason=message.finish_reason or "",
        retries=message.retries or 0,
        reasoning=message.reasoning or "",
        reasoning_tokens=None if message.reasoning_tokens is UNSET else message.reasoning_tokens,
    )


# ---- Evaluations.


def evaluation_dict(stored: StoredEvaluation) -> dict[str, Any]:
    """The file of an evaluation, key by key; the values are still those of the records."""
    completion = stored.completion
    facts = {
        **verdict_facts(stored.evaluation),
        **{name: getattr(stored.request, name) for name in REQUEST_FIELDS},
        **{name: getattr(completion, name) for name in COMPLETION_FIELDS},
        "tokens": (completion.prompt_tokens, completion.completion_tokens),
        "timestamp": stored.timestamp,
        "codejury_schema": SCHEMA,
        "judged_at": stored.judged_at,
        "supersedes": stored.supersedes,
    }
    if completion.reasoning_tokens is None:  # only where the service told
        del facts["reasoning_tokens"]
    if facts["performance"] is None:  # only where something was to be measured
        del facts["performance"]
    return {key: facts[key] for key in KEYS if key in facts}


def evaluation_record(file: Any, category: str) -> StoredEvaluation:
    """An `EvaluationFile` as records; what it does not say has the default of its record.

    `category` is for the predecessor's, which do not say. Of the output only the tail is left.
    """
    asked, answered = map(known_tokens, file.tokens)
    return StoredEvaluation(
        request=Request(**{"category": category, **_said(file, REQUEST_FIELDS)}),
        timestamp=file.timestamp,
        completion=Completion(
            **{"text": "", **_said(file, COMPLETION_FIELDS)}, prompt_tokens=asked, completion_tokens=answered
        ),
        evaluation=Evaluation(
            **{"score": None, "rules_version": None, **_said(file, EVALUATION_FIELDS)},
            execution=_execution(file),
        ),
        judged_at=file.judged_at or "",
        supersedes=file.supersedes or (),
    )


def _execution(file: Any) -> Execution | None:
    if file.extraction is None:
        return None
    return Execution(**_said(file, EXECUTION_FIELDS), stdout=file.stdout_tail)


def _said(file: Any, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: value for name in names if (value := getattr(file, name, None)) is not None}
