"""One stored answer as the browser gets it: evaluation and conversation, without what is said twice."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from ..failures import Failure

Answer = dict[str, Any]

ROLES: Final = {"systemmessage": "system", "usermessage": "user", "aimessage": "assistant"}

# Keys of an evaluation that are taken as they are, under a shorter name.
_FACTS: Final[Mapping[str, str]] = {
    "prompt_label": "prompt", "prompt_strategy": "strategy", "timestamp": "time", "parsed": "parsed",
    "executed": "executed", "tokens": "tokens", "elapsed_seconds": "elapsed", "cost": "cost",
    "parameters": "parameters", "experiment": "experiment", "device": "device", "void_reason": "void_reason",
    "julia_version": "julia", "sandbox": "sandbox", "rules_version": "rules", "codejury_version": "codejury",
    "judged_at": "judged_at", "seed": "seed", "sample": "sample", "round": "round", "retries": "retries",
    "finish_reason": "finish_reason", "extraction": "extraction", "tampering": "tampering",
    "missing_packages": "missing_packages", "notes": "notes", "stdout_tail": "output",
    "version_pt": "program", "asked_julia_version": "asked_julia",
}  # fmt: skip


def read_answer(evaluation: str, conversation: str, known: Mapping[str, Any]) -> tuple[Answer, str]:
    """Everything an answer's page shows, and the kind of its failure or "".

    `known` is what the table of all evaluations says of it. A file that cannot be read leaves its part out,
    and says so.
    """
    stored = _json(evaluation)
    answer: Answer = {"problem": "the evaluation cannot be read"}
    if isinstance(stored, dict):
        answer = _verdict(stored)
    messages = _messages(_json(conversation))
    if messages is not None:
        answer["messages"] = messages
        # The page draws markdown by CommonMark; these blocks end later than it says.
        if spans := {index: found for index, (_, text) in enumerate(messages) if (found := _spans(text))}:
            answer["extended_spans"] = spans
    elif Path(conversation).exists():
        answer["problem"] = "the conversation cannot be read"
    failure = _failure({**(stored if isinstance(stored, dict) else {}), **known}, messages)
    if failure:
        answer["failure"] = [failure.kind.label, failure.why]
    return answer, failure.kind.value if failure else ""


def _spans(text: str) -> list[tuple[int, int]]:
    from ..extract import extended_spans

    return extended_spans(text)


def _failure(row: Mapping[str, Any], messages: list[list[str]] | None) -> Failure | None:
    from ..failures import classify

    return classify(row, messages[-1][1] if messages else None)


def _json(path: str) -> Any:
    # Plain strings and one call: there are tens of thousands, and a Path takes as long as the reading.
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return json.loads(file.read())
    except (OSError, ValueError, RecursionError):
        return None


def _verdict(stored: dict[str, Any]) -> Answer:
    # What is empty or unknown is not sent; the page asks for it and finds nothing.
    answer = {
        name: stored[key] for key, name in _FACTS.items() if stored.get(key) not in (None, "", [], {}, "-")
    }
    answer["tests"] = [stored.get("unit_tests_passed"), stored.get("unit_tests_count")]
    answer["examples"] = [stored.get("examples_executed"), stored.get("examples_count")]
    if blocks := stored.get("blocks"):
        answer["blocks"] = [_block(block) for block in blocks]
    return answer


def _block(block: dict[str, Any]) -> list[Any]:
    get = block.get
    facts = [get("kind"), get("index"), get("ending"), get("error_type"), get("message"), get("line")]
    return [*facts, round(get("seconds") or 0.0, 3)]


def _messages(stored: Any) -> list[list[str]] | None:
    """Role and text of each message; None for a file that is no conversation."""
    if not isinstance(stored, list) or not all(isinstance(message, dict) for message in stored):
        return None
    return [
        [ROLES.get(str(message.get("_type")), "other"), str(message.get("content") or "")]
        for message in stored
    ]
