"""What a server said, understood: pure functions of status, headers and body.

read_answer    a body of status 200 -> Answer, or the Failure it really is
read_failure   any other status     -> Failure

A Failure says whether another try can help, and whose it is: the model's (bad key, unknown model) or
this request's alone (too long, against a policy). Nothing here trusts a server: a number may be a
string, a message a list, the body the page of a proxy.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

MOST_TOKENS: Final = 100_000_000  # no model reads or writes more in one go: a larger count is an error
LONGEST_MESSAGE: Final = 400

RETRIED: Final = frozenset({408, 409, 425, 429})
OVERLOAD: Final = frozenset({429, 503, 529})

# Signs that a refusal is about this request alone. Services agree on the status, not on a code.
ABOUT_THE_REQUEST: Final = (
    "context length",
    "context_length",
    "context window",
    "context size",
    "exceed_context",
    "maximum context",
    "too long",
    "too many tokens",
    "token limit",
    "content policy",
    "content_policy",
    "content management",
    "content_filter",
    "moderation",
    "flagged",
    "safety",
    "prohibited",
)
ABOUT_THE_KEY: Final = ("api key", "api_key")
OUT_OF_CREDIT: Final = ("insufficient_quota", "insufficient balance", "insufficient credit", "billing")


class Kind(StrEnum):
    """What a failure means for the rest of the run."""

    RETRY = "retry"
    OVERLOAD = "overload"  # retry, and ask less at once
    MODEL = "model"  # final, for every request to this model
    REQUEST = "request"  # final, for this one


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """No answer."""

    kind: Kind
    what: str
    repair: str = ""
    retry_after: float | None = None

    @property
    def is_final(self) -> bool:
        return self.kind in (Kind.MODEL, Kind.REQUEST)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What was said, with what the server claims it took."""

    text: str
    finish_reason: str
    prompt_tokens: int | None
    completion_tokens: int | None
    model: str = ""
    """Who the server says has answered."""


def read_answer(body: str) -> Answer | Failure:
    """The first choice of a chat completion."""
    if not body.strip():
        return Failure(kind=Kind.RETRY, what="the server sent an empty body")
    document = _parsed(body)
    if not isinstance(document, dict):
        return Failure(kind=Kind.RETRY, what=f"the server sent no JSON object: {shortened(body)}")
    if document.get("error"):  # some services report failures with status 200
        return read_failure(_inner_status(document["error"]), body)
    message, reason = _first_choice(document)
    if message is None:
        return Failure(kind=Kind.RETRY, what="the server sent no choice with a message")
    usage = _mapping(document.get("usage"))
    return Answer(
        text=text_of(message.get("content")) or text_of(message.get("refusal")),
        finish_reason="refusal" if text_of(message.get("refusal")) else reason,
        prompt_tokens=believable_count(usage.get("prompt_tokens")),
        completion_tokens=believable_count(usage.get("completion_tokens")),
        model=text_of(document.get("model")),
    )


def read_failure(status: int, body: str, retry_after: float | None = None) -> Failure:
    """What a refusal means, and what its reader can do."""
    message = _message(body)
    what = f"status {status}: {message}" if message else f"status {status}"
    kind, repair = _verdict(status, message.lower())
    return Failure(kind=kind, what=what, repair=repair, retry_after=retry_after)


def _verdict(status: int, message: str) -> tuple[Kind, str]:
    if status == 402 or (status in (403, 429) and _mentions(message, OUT_OF_CREDIT)):
        return Kind.MODEL, "add credit to the account"
    if status in RETRIED or status >= 500:
        return (Kind.OVERLOAD if status in OVERLOAD else Kind.RETRY), ""
    if status in (401, 403) or (status == 400 and _mentions(message, ABOUT_THE_KEY)):
        return Kind.MODEL, "check the key and what it may use"
    if status in (404, 405, 410):
        return Kind.MODEL, "check the model's name and the base_url"
    if status < 400:
        return Kind.MODEL, "check the base_url: it leads elsewhere"
    if status == 413 or _mentions(message, ABOUT_THE_REQUEST):
        return Kind.REQUEST, "this prompt is not for this model; others go on"
    return Kind.MODEL, "check the parameters: the server refuses the request as it is made"


def _mentions(message: str, signs: tuple[str, ...]) -> bool:
    return any(sign in message for sign in signs)


def _inner_status(error: Any) -> int:
    code = _mapping(error).get("code")
    return code if type(code) is int and 400 <= code < 600 else 500


def _first_choice(document: Mapping[str, Any]) -> tuple[Mapping[str, Any] | None, str]:
    choices = document.get("choices")
    first = _mapping(choices[0]) if isinstance(choices, list) and choices else {}
    message, reason = first.get("message"), text_of(first.get("finish_reason"))[:64]
    if isinstance(message, dict):
        return message, reason
    # Where a filter swallowed the whole message, the reason alone is the answer.
    return ({} if reason else None), reason


def text_of(content: Any) -> str:
    """A text, or the texts of a list of parts; "" for anything else."""
    if isinstance(content, str):
        # JSON can spell half a surrogate pair, which no file can hold.
        return content.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(content, list):
        return "".join(text_of(_mapping(part).get("text")) for part in content)
    return ""


def believable_count(value: Any) -> int | None:
    """A believable number of tokens, or None: a wrong number is worse than none."""
    return value if type(value) is int and 0 <= value <= MOST_TOKENS else None


def _message(body: str) -> str:
    """The text of an error, wherever this server puts it; with its code, which says more."""
    document = _parsed(body)
    if isinstance(document, list) and document:  # Google wraps its errors
        document = document[0]
    if not isinstance(document, dict):
        return shortened(body)
    error = document.get("error", document)
    if not isinstance(error, dict):
        return shortened(str(error))
    text = next((error[key] for key in ("message", "detail", "msg") if error.get(key)), error)
    code = next((error[key] for key in ("code", "type", "status") if isinstance(error.get(key), str)), "")
    said = text if isinstance(text, str) else json.dumps(text)
    return shortened(f"{said} ({code})" if code and code not in said else said)


def shortened(text: str) -> str:
    """One line of at most 400 characters, without control characters."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= LONGEST_MESSAGE else line[: LONGEST_MESSAGE - 1] + "…"


def _parsed(body: str) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
