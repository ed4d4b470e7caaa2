"""What a server said, understood: pure functions of status, headers and body.

read_document  a body of status 200    -> the JSON object in it, or the Failure it really is
read_failure   any other status        -> Failure
failure_within an error inside a 200   -> Failure

How a document becomes an Answer is the business of each wire format: see `adapters`.

A Failure says whether another try can help, and whose it is: the model's (bad key, unknown model) or
this request's alone (too long, against a policy). Nothing here trusts a server: a number may be a
string, a message a list, the body the page of a proxy.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from .prices import Usage

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


class FailureKind(StrEnum):
    """What a failure means for the rest of the run."""

    RETRY = "retry"
    OVERLOAD = "overload"  # retry, and ask less at once
    MODEL = "model"  # final, for every request to this model
    REQUEST = "request"  # final, for this one


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestFailure:
    """No answer."""

    kind: FailureKind
    what: str
    repair: str = ""
    retry_after: float | None = None

    @property
    def is_final(self) -> bool:
        return self.kind in (FailureKind.MODEL, FailureKind.REQUEST)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What was said, with what the server claims it took."""

    text: str
    finish_reason: str
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    """Who the server says has answered."""
    reasoning: str = ""
    """What the model said to itself before."""


def read_document(body: str) -> dict[str, Any] | RequestFailure:
    """The JSON object of a reply."""
    if not body.strip():
        return RequestFailure(kind=FailureKind.RETRY, what="the server sent an empty body")
    document = parsed(body)
    if not isinstance(document, dict):
        return RequestFailure(
            kind=FailureKind.RETRY, what=f"the server sent no JSON object: {shortened(body)}"
        )
    return document


def failure_within(document: Mapping[str, Any]) -> RequestFailure | None:
    """The failure that a reply of status 200, or one event of a stream, reports; None if it reports none."""
    error = document.get("error")
    if not error:
        return None
    return read_failure(_inner_status(error), json.dumps({"error": error}))


def read_failure(status: int, body: str, retry_after: float | None = None) -> RequestFailure:
    """What a refusal means, and what its reader can do."""
    message = _message(body)
    what = f"status {status}: {message}" if message else f"status {status}"
    kind, repair = _verdict(status, message.lower())
    return RequestFailure(kind=kind, what=what, repair=repair, retry_after=retry_after)


def _verdict(status: int, message: str) -> tuple[FailureKind, str]:
    if status == 402 or (status in (403, 429) and _mentions(message, OUT_OF_CREDIT)):
        return FailureKind.MODEL, "add credit to the account"
    if status in RETRIED or status >= 500:
        return (FailureKind.OVERLOAD if status in OVERLOAD else FailureKind.RETRY), ""
    if status in (401, 403) or (status == 400 and _mentions(message, ABOUT_THE_KEY)):
        return FailureKind.MODEL, "check the key and what it may use"
    if status in (404, 405, 410):
        return FailureKind.MODEL, "check the model's name and the base_url"
    if status < 400:
        return FailureKind.MODEL, "check the base_url: it leads elsewhere"
    if status == 413 or _mentions(message, ABOUT_THE_REQUEST):
        return FailureKind.REQUEST, "this prompt is not for this model; others go on"
    return FailureKind.MODEL, "check the parameters: the server refuses the request as it is made"


def _mentions(message: str, signs: tuple[str, ...]) -> bool:
    return any(sign in message for sign in signs)


# What services call the statuses of HTTP where they report an error in words.
_STATUS_OF: Final[Mapping[str, int]] = {
    "invalid_request_error": 400, "INVALID_ARGUMENT": 400, "FAILED_PRECONDITION": 400, "invalid_prompt": 400,
    "authentication_error": 401, "UNAUTHENTICATED": 401, "billing_error": 402, "permission_error": 403,
    "PERMISSION_DENIED": 403, "not_found_error": 404, "NOT_FOUND": 404, "request_too_large": 413,
    "rate_limit_error": 429, "rate_limit_exceeded": 429, "RESOURCE_EXHAUSTED": 429, "insufficient_quota": 429,
    "api_error": 500, "server_error": 500, "INTERNAL": 500, "UNAVAILABLE": 503, "overloaded_error": 529,
    "timeout_error": 504, "DEADLINE_EXCEEDED": 504,
}  # fmt: skip


def _inner_status(error: Any) -> int:
    """The status an error stands for, from its number or its name; 500 where neither tells."""
    said = [mapping(error).get(key) for key in ("code", "type", "status")]
    number = next((code for code in said if type(code) is int and 400 <= code < 600), None)
    if number is not None:
        return number
    return next((_STATUS_OF[name] for name in said if isinstance(name, str) and name in _STATUS_OF), 500)


def text_of(content: Any) -> str:
    """A text, or the texts of a list of parts; "" for anything else."""
    if isinstance(content, str):
        # JSON can spell half a surrogate pair, which no file can hold.
        return content.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(content, list):
        return "".join(text_of(mapping(part).get("text")) for part in content)
    return ""


def _message(body: str) -> str:
    """The text of an error, wherever this server puts it; with its code, which says more."""
    document = parsed(body)
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


def parsed(body: str) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


# ---- Whether an answer is that of another model of the same run.


class Names:
    """The models that a run asks of one server, and what the server calls them.

    A server may well answer under another name than it was asked by: a dated one, the one behind an alias, a
    file's. So a reply is another model's only if it names one that this run asks of the same server too, and
    the model that was asked has answered under its own name before.
    """

    def __init__(self) -> None:
        self._asked: set[str] = set()
        self._answer_as_themselves: set[str] = set()

    def add(self, model: str) -> None:
        """A model of this run."""
        self._asked.add(model)

    def is_anothers(self, asked: str, said: str) -> bool:
        """Whether a reply that says it is from `said` is not the answer of `asked`."""
        if said == asked:
            self._answer_as_themselves.add(asked)
        is_dated = said.startswith(asked)  # gpt-4o -> gpt-4o-2024-08-06
        return not is_dated and said in self._asked and asked in self._answer_as_themselves
