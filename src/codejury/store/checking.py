"""What is wrong with a JSON value that claims to be one of our files. All problems at once.

Tolerant where the predecessor's files differ among each other (a cost of 0 or 0.0, keys that
came later, an empty answer), strict where a wrong value would become a wrong number on a board.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from ..records import BlockKind, Ending, Outcome
from .formats import ROLES, SCHEMA

Check = Callable[[Any], bool]
Checks = Mapping[str, tuple[Check, str]]


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


def _is_amount(value: Any) -> bool:
    return value is None or (_is_number(value) and value >= 0)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_tokens(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(n is None or type(n) is int for n in value)


def _is_counts(value: Any) -> bool:
    return isinstance(value, list) and all(_is_count(item) for item in value)


TEXT: Final = (lambda value: isinstance(value, str), "a string")
BOOL: Final = (lambda value: isinstance(value, bool), "true or false")
COUNT: Final = (_is_count, "a whole number from 0")
NUMBER: Final = (_is_number, "a number")
AMOUNT: Final = (_is_amount, "a number from 0, or null")
TEXTS: Final = (_is_texts, "a list of strings")
COUNTS: Final = (_is_counts, "a list of whole numbers")
TOKENS: Final = (_is_tokens, "a list of two whole numbers")
OBJECT: Final = (lambda value: isinstance(value, dict), "an object")
WHOLE_OR_NULL: Final = (lambda value: value is None or type(value) is int, "a whole number or null")


def _one_of(words: type[Outcome] | type[BlockKind] | type[Ending]) -> tuple[Check, str]:
    known = {word.value for word in words}
    return lambda value: isinstance(value, str) and value in known, f"one of {', '.join(sorted(known))}"


_REQUEST: Final[Checks] = {
    "name": TEXT, "model": TEXT, "timestamp": TEXT, "prompt_strategy": TEXT, "prompt_label": TEXT,
    "device": TEXT, "version_prompt": TEXT, "schema": TEXT, "version_pt": TEXT, "parameters": OBJECT,
    "experiment": TEXT,
}  # fmt: skip
_OUR_REQUEST: Final[Checks] = {
    "category": TEXT, "prompt_hash": TEXT, "template_version": TEXT, "seed": WHOLE_OR_NULL,
    "sample": WHOLE_OR_NULL, "round": COUNT, "run_id": WHOLE_OR_NULL,
}  # fmt: skip
# Came after the first files of ours: those that lack it are whole.
_LATER: Final[Checks] = {"asked_julia_version": TEXT}
_PUBLISHED: Final[Checks] = {
    **_REQUEST, "parsed": BOOL, "executed": BOOL, "unit_tests_count": COUNT, "examples_count": COUNT,
    "unit_tests_passed": COUNT, "examples_executed": COUNT, "tokens": TOKENS, "elapsed_seconds": NUMBER,
    "cost": AMOUNT,
}  # fmt: skip
_OURS: Final[Checks] = {
    **_OUR_REQUEST, "score": AMOUNT, "outcome": _one_of(Outcome), "void_reason": TEXT, "rules_version": COUNT,
    "codejury_version": TEXT, "julia_version": TEXT, "sandbox": TEXT, "definition_hash": TEXT,
    "tampering": TEXTS, "missing_packages": TEXTS, "stdout_tail": TEXT, "extra": OBJECT, "judged_at": TEXT,
    "supersedes": TEXTS, "retries": COUNT, "finish_reason": TEXT,
}  # fmt: skip
_VERDICT_LATER: Final[Checks] = {"notes": TEXTS}
"""Keys that evaluations of earlier versions lack."""
_BLOCK: Final[Checks] = {
    "kind": _one_of(BlockKind), "index": COUNT, "ending": _one_of(Ending), "error_type": TEXT,
    "message": TEXT, "line": WHOLE_OR_NULL, "seconds": NUMBER,
}  # fmt: skip
_EXTRACTION: Final[Checks] = {
    "rule": TEXT, "blocks_found": COUNT, "blocks_used": COUNTS, "code": TEXT, "dropped_imports": TEXTS,
    "dropped_tests": COUNT,
}  # fmt: skip
_EXTRACTION_LATER: Final[Checks] = {"extended": COUNTS}
"""Likewise, of their extraction."""


def evaluation_problems(value: Any) -> list[str]:
    """Everything that keeps a JSON value from being an evaluation file."""
    if not isinstance(value, dict):
        return ["must be a JSON object"]
    problems = [*_wrong_keys(value, _PUBLISHED), *_wrong_schema(value)]
    if not problems:
        problems = [*_impossible_counts(value)]
    if "codejury_schema" in value:
        later = _present(value, {**_LATER, **_VERDICT_LATER})
        problems += [*_wrong_keys(value, {**_OURS, **later}), *_wrong_score(value), *_wrong_details(value)]
    return problems


def conversation_problems(value: Any) -> list[str]:
    """Everything that keeps a JSON value from being a conversation file."""
    if not isinstance(value, list) or not value:
        return ["must be a JSON array of messages, at least one"]
    problems = [
        p for index, message in enumerate(value) for p in _message_problems(message, f"message {index}")
    ]
    if not problems and value[-1]["_type"] != "aimessage":
        problems = ["the last message must be the model's answer (`_type` aimessage)"]
    return problems


def _wrong_keys(table: Mapping[str, Any], checks: Checks, where: str = "") -> Iterator[str]:
    for key, (fits, wanted) in checks.items():
        if key not in table:
            yield f"{where}{key} is missing"
        elif not fits(table[key]):
            yield f"{where}{key} must be {wanted}, not {_shown(table[key])}"


def _present(table: Mapping[str, Any], checks: Checks) -> Checks:
    return {key: check for key, check in checks.items() if key in table}


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}..."


def _wrong_schema(table: Mapping[str, Any]) -> Iterator[str]:
    number = table.get("codejury_schema", SCHEMA)
    if type(number) is not int or number < 1:
        yield f"codejury_schema must be a whole number from 1, not {_shown(number)}"
    elif number > SCHEMA:
        yield f"codejury_schema is {number}: a newer Codejury wrote it, and this one knows {SCHEMA}; upgrade"


def _impossible_counts(table: Mapping[str, Any]) -> Iterator[str]:
    for passed, listed in (
        ("unit_tests_passed", "unit_tests_count"),
        ("examples_executed", "examples_count"),
    ):
        if table[passed] > table[listed]:
            yield f"{passed} is {table[passed]}, more than {listed} {table[listed]}"


def _wrong_score(table: Mapping[str, Any]) -> Iterator[str]:
    score: Any = table.get("score")
    outcome = table.get("outcome")
    if (score is None) != (outcome == Outcome.VOID):
        yield f"score is {_shown(score)} and outcome {_shown(outcome)}: void, and only void, has no score"
    if _is_number(score) and score > 100:
        yield f"score is {score}: more than 100"


def _wrong_details(table: Mapping[str, Any]) -> Iterator[str]:
    blocks, extraction = table.get("blocks"), table.get("extraction", ())
    if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in blocks):
        yield "blocks must be a list of objects"
    else:
        for index, block in enumerate(blocks):
            yield from _wrong_keys(block, _BLOCK, f"blocks[{index}].")
    if isinstance(extraction, dict):
        later = _present(extraction, _EXTRACTION_LATER)
        yield from _wrong_keys(extraction, {**_EXTRACTION, **later}, "extraction.")
    elif extraction is not None:
        yield "extraction must be an object or null"


def _message_problems(message: Any, where: str) -> Iterator[str]:
    if not isinstance(message, dict):
        yield f"{where} must be an object"
        return
    if message.get("_type") not in tuple(ROLES):  # a tuple: the value may be anything, also a list
        yield f"{where}: _type must be one of {', '.join(ROLES)}, not {_shown(message.get('_type'))}"
    if not isinstance(message.get("content", 0), str | None):
        yield f"{where}: content must be a string, not {_shown(message.get('content'))}"
    if message.get("_type") == "aimessage":
        yield from _wrong_answer(message, where)


_ANSWER: Final[Checks] = {
    "tokens": TOKENS,
    "elapsed": NUMBER,
    "cost": AMOUNT,
    "retries": COUNT,
    "finish_reason": TEXT,
}


def _wrong_answer(message: Mapping[str, Any], where: str) -> Iterator[str]:
    present = {key: check for key, check in _ANSWER.items() if message.get(key) is not None}
    yield from _wrong_keys(message, present, f"{where}: ")
    if "codejury" not in message:
        return
    facts = message["codejury"]
    if not isinstance(facts, dict):
        yield f"{where}: codejury must be an object"
    else:
        yield from _wrong_schema(facts)
        checks = {**_REQUEST, **_OUR_REQUEST, **_present(facts, _LATER), "variables": OBJECT}
        yield from _wrong_keys(facts, checks, f"{where}: codejury.")
