"""What is known of one evaluation, whoever wrote it and however much of it was read.

A row can be one of the frame (`first_*` columns, the extraction's rule alone), the JSON object of an
evaluation file (all blocks, the code that ran), or both merged. The predecessor's rows have flags and counts
only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from ..records import Ending

_HARMLESS: Final = frozenset({Ending.PASSED.value, Ending.NOT_RUN.value})
FULL_SCORE: Final = 100 - 1e-9
"""Thirds of 100 do not always add up to it."""
_MOST_LINE: Final = 400
_MOST_HEAD: Final = 40_000
_MOST_TAIL: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """One block that did not do what it should."""

    kind: str
    ending: str
    error_type: str = ""
    message: str = ""

    @property
    def where(self) -> str:
        return {"main": "the main code", "example": "an example", "unit_test": "a unit test"}.get(
            self.kind, self.kind
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The facts that the rules look at."""

    test_case: str
    parsed: bool
    executed: bool
    tests_passed: int
    tests_count: int
    examples_executed: int
    examples_count: int
    ours: bool
    """Whether Codejury judged it: then it is known what happened to each block."""
    rule: str
    """How the code was taken from the answer; "" if nobody recorded it."""
    code: str
    """The code that was judged; "" if it is not at hand."""
    dropped_imports: tuple[str, ...]
    tampering: tuple[str, ...]
    finish_reason: str
    troubles: tuple[Trouble, ...]
    """Blocks that went wrong, in the order in which they ran; of a row of the frame, the first alone."""
    answer: str | None

    def with_answer(self, answer: str | None) -> Evidence:
        return replace(self, answer=None if answer is None else bounded(answer))


def evidence_of(row: Mapping[str, Any], answer: str | None) -> Evidence:
    extraction = row.get("extraction")
    details: Mapping[str, Any] = extraction if isinstance(extraction, Mapping) else {}
    return Evidence(
        test_case=_text(row.get("test_case") or row.get("name")),
        parsed=bool(row.get("parsed")),
        executed=bool(row.get("executed")),
        tests_passed=int(row.get("unit_tests_passed") or 0),
        tests_count=int(row.get("unit_tests_count") or 0),
        examples_executed=int(row.get("examples_executed") or 0),
        examples_count=int(row.get("examples_count") or 0),
        ours=row.get("rules_version") is not None,
        rule=_text(details.get("rule") if details else extraction),
        code=bounded(_text(details.get("code"))),
        dropped_imports=tuple(details.get("dropped_imports") or ()),
        tampering=tuple(row.get("tampering") or ()),
        finish_reason=_text(row.get("finish_reason")),
        troubles=_troubles(row),
        answer=None if answer is None else bounded(answer),
    )


def lost_points(row: Mapping[str, Any]) -> bool:
    """Whether there is something to explain: a verdict, and less than all that could be had."""
    if row.get("outcome") == "void":
        return False
    tests_missed = (row.get("unit_tests_passed") or 0) < (row.get("unit_tests_count") or 0)
    score = row.get("score")
    if score is not None:
        return bool(score < FULL_SCORE or tests_missed)
    examples_missed = (row.get("examples_executed") or 0) < (row.get("examples_count") or 0)
    return tests_missed or examples_missed or not row.get("executed")


def _troubles(row: Mapping[str, Any]) -> tuple[Trouble, ...]:
    blocks = row.get("blocks")
    if blocks is not None:
        return tuple(_trouble(block) for block in blocks if block.get("ending") not in _HARMLESS)
    if row.get("first_ending"):
        return (
            _trouble(
                {name: row.get(f"first_{name}") for name in ("kind", "ending", "error_type", "message")}
            ),
        )
    return ()


def _trouble(block: Mapping[str, Any]) -> Trouble:
    return Trouble(
        kind=_text(block.get("kind")),
        ending=_text(block.get("ending")),
        error_type=_text(block.get("error_type")),
        message=_text(block.get("message")),
    )


def bounded(text: str) -> str:
    """Return text that patterns can search quickly, whoever wrote it: no endless lines, no endless text."""
    if len(text) > _MOST_HEAD + _MOST_TAIL:
        text = f"{text[:_MOST_HEAD]}\n{text[-_MOST_TAIL:]}"
    lines = text.split("\n")
    return text if max(map(len, lines)) <= _MOST_LINE else "\n".join(line[:_MOST_LINE] for line in lines)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
