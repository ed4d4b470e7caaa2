"""One line of an import, checked and turned into what the store takes.

{"task_id": "fib", "completion": "...", "prompt": "Write fib.", "cost": 0.01}
-> ImportLine(request=Request(name="fib", ...), sent=(user message,), completions=(the answer,))

`task_id`, `completion` and `solution` are those of bulk judging. Fields that are not known are not an error,
so that the output of other tools, of `codejury judge` and of `codejury export` can be taken as it is.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ..errors import InputError
from ..records import Completion, Message, TestCase
from ..store.names import is_timestamp
from ..store.samples import Request
from .bulk.answers import AnswerLine

DEFAULT_LABEL: Final = "Imported"
"""For answers whose prompt was not named."""

_ROLES: Final = ("system", "user", "assistant")
_BACKTICKS: Final = re.compile("`+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """What holds for all lines of a file; None leaves it to each line."""

    model: str | None = None
    prompt_label: str | None = None
    prompt_strategy: str | None = None
    experiment: str | None = None
    device: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportLine:
    """An answer and the request it answers."""

    number: int
    request: Request
    test_case: TestCase
    sent: tuple[Message, ...]
    completions: tuple[Completion, ...]
    """One for each answer in `sent`, and the answer itself."""
    timestamp: str = ""
    """When the answer was made, where the line says so."""


def import_line(answer: AnswerLine, test_case: TestCase, labels: Labels) -> ImportLine:
    """Return the line as a record; InputError says all that is wrong with it."""
    fields = _fields(answer.text)
    if problems := list(_problems(fields, labels)):
        raise InputError("; ".join(problems))
    sent = _sent(fields)
    earlier = [Completion(text=message.content) for message in sent if message.role == "assistant"]
    return ImportLine(
        number=answer.number,
        request=_request(fields, test_case, labels),
        test_case=test_case,
        sent=sent,
        completions=(*earlier, _completion(_text(answer), fields)),
        timestamp=fields.get("timestamp", ""),
    )


def _fields(text: str) -> dict[str, Any]:
    fields = json.loads(text, parse_int=lambda digits: int(digits) if len(digits) < 20 else float(digits))
    return {name: value for name, value in fields.items() if value is not None}


def _text(answer: AnswerLine) -> str:
    """The answer in markdown: what is stored and judged. Bare code gets the fence it lacks."""
    if answer.solution is None:
        return answer.completion or ""
    longest = max((len(run) for run in _BACKTICKS.findall(answer.solution)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}julia\n{answer.solution.rstrip()}\n{fence}\n"


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_amount(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value) and value >= 0


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_messages(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(each, dict) and each.get("role") in _ROLES and isinstance(each.get("content"), str)
        for each in value
    )


_TEXT: Final = (_is_text, "a string")
_COUNT: Final = (_is_count, "a whole number from 0")
_AMOUNT: Final = (_is_amount, "a number from 0")
OPTIONAL: Final[Mapping[str, tuple[Callable[[Any], bool], str]]] = {
    "model": _TEXT, "prompt_label": _TEXT, "prompt_strategy": _TEXT, "experiment": _TEXT, "device": _TEXT,
    "parameters": (lambda value: isinstance(value, dict), "an object"),
    "seed": (lambda value: type(value) is int, "a whole number"),
    "sample": _COUNT, "round": _COUNT, "prompt_tokens": _COUNT, "completion_tokens": _COUNT,
    "elapsed_seconds": _AMOUNT, "cost": _AMOUNT, "finish_reason": _TEXT, "version_prompt": _TEXT,
    "prompt": _TEXT,
    "timestamp": (lambda value: _is_text(value) and is_timestamp(value), "such as 20240201_195629__158"),
    "messages": (_is_messages, f"a list of objects with `role` ({', '.join(_ROLES)}) and `content`"),
}  # fmt: skip
"""The fields a line can have beside those of bulk judging, and what each must be."""


def _problems(fields: Mapping[str, Any], labels: Labels) -> Iterator[str]:
    for name, (fits, wanted) in OPTIONAL.items():
        if name in fields and not fits(fields[name]):
            yield f"`{name}` is not {wanted}"
    if labels.model is None and "model" not in fields:
        yield "`model` is missing; put it there, or name one for all lines with --model"
    if "prompt" in fields and "messages" in fields:
        yield "`prompt` and `messages` are both there; one of them says what was sent"
    messages = fields.get("messages")
    if _is_messages(messages) and messages and messages[-1]["role"] == "assistant":
        yield "`messages` ends with an answer; it is what was sent, and the answer stands in `completion`"


def _sent(fields: Mapping[str, Any]) -> tuple[Message, ...]:
    if "prompt" in fields:
        return (Message(role="user", content=fields["prompt"]),)
    return tuple(Message(role=each["role"], content=each["content"]) for each in fields.get("messages", ()))


def _request(fields: Mapping[str, Any], test_case: TestCase, labels: Labels) -> Request:
    """The request. What is said for all lines goes before what the line says itself."""

    def said(name: str, otherwise: str) -> str:
        asked = getattr(labels, name)
        return str(fields.get(name, otherwise) if asked is None else asked)

    return Request(
        category=test_case.category,
        name=test_case.name,
        model=said("model", ""),
        prompt_label=said("prompt_label", DEFAULT_LABEL),
        prompt_strategy=said("prompt_strategy", "1SHOT"),
        experiment=said("experiment", ""),
        device=said("device", "-"),
        parameters=fields.get("parameters", {}),
        schema="import",
        version_prompt=fields.get("version_prompt", ""),
        version_pt="",
        seed=fields.get("seed"),
        sample=fields.get("sample"),
        round=fields.get("round", 0),
    )


def _completion(text: str, fields: Mapping[str, Any]) -> Completion:
    return Completion(
        text=text,
        prompt_tokens=fields.get("prompt_tokens"),
        completion_tokens=fields.get("completion_tokens"),
        elapsed_seconds=float(fields.get("elapsed_seconds", 0.0)),
        cost=fields.get("cost"),
        finish_reason=fields.get("finish_reason", ""),
    )
