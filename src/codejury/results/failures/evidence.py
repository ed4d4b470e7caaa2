"""What the rules look at: the facts of one evaluation, and its answer if that is at hand.

The predecessor's evaluations have flags and counts only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from ...records import Block, BlockKind, Ending, Evaluation, Outcome

_HARMLESS: Final = frozenset({Ending.PASSED, Ending.NOT_RUN})
FULL_SCORE: Final = 100 - 1e-9
"""Thirds of 100 do not always add up to it."""
_MOST_LINE: Final = 400
_MOST_HEAD: Final = 40_000
_MOST_TAIL: Final = 10_000


_PLACES: Final = {
    BlockKind.MAIN: "the main code",
    BlockKind.EXAMPLE: "an example",
    BlockKind.UNIT_TEST: "a unit test",
}


def place_of(block: Block) -> str:
    return _PLACES[block.kind]


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
    troubles: tuple[Block, ...]
    """Blocks that went wrong, in the order in which they ran; of a row of the frame, the first alone."""
    answer: str | None

    def with_answer(self, answer: str | None) -> Evidence:
        return replace(self, answer=None if answer is None else bounded(answer))


def evidence_of(evaluation: Evaluation, answer: str | None, finish_reason: str = "") -> Evidence:
    run = evaluation.execution
    return Evidence(
        test_case=evaluation.name,
        parsed=evaluation.parsed,
        executed=evaluation.executed,
        tests_passed=evaluation.unit_tests_passed,
        tests_count=evaluation.unit_tests_count,
        examples_executed=evaluation.examples_executed,
        examples_count=evaluation.examples_count,
        ours=not evaluation.by_predecessor,
        rule=run.extraction.rule if run else "",
        code=bounded(run.extraction.code) if run else "",
        dropped_imports=run.extraction.dropped_imports if run else (),
        tampering=run.tampering if run else (),
        finish_reason=finish_reason,
        troubles=tuple(block for block in run.blocks if block.ending not in _HARMLESS) if run else (),
        answer=None if answer is None else bounded(answer),
    )


def lost_points(evaluation: Evaluation) -> bool:
    """Whether there is something to explain: a verdict, and less than all that could be had."""
    if evaluation.outcome is Outcome.VOID or evaluation.score is None:
        return False
    return evaluation.score < FULL_SCORE or evaluation.unit_tests_passed < evaluation.unit_tests_count


def bounded(text: str) -> str:
    """Return text that patterns can search quickly, whoever wrote it: no endless lines, no endless text."""
    if len(text) > _MOST_HEAD + _MOST_TAIL:
        text = f"{text[:_MOST_HEAD]}\n{text[-_MOST_TAIL:]}"
    lines = text.split("\n")
    return text if max(map(len, lines)) <= _MOST_LINE else "\n".join(line[:_MOST_LINE] for line in lines)


# ---- The kinds of failure, in the order in which they are asked for. The first that holds is the one told


class Kind(StrEnum):
    """Why an answer lost points. The order is the precedence; the values are those in tables."""

    TAMPERING = "tampering"
    HIT_LIMIT = "hit_limit"
    EMPTY_ANSWER = "empty_answer"
    NO_CODE = "no_code"
    OTHER_LANGUAGE = "other_language"
    EXTRACTION_LOST = "extraction_lost"
    CUT_OFF = "cut_off"
    PYTHON_ISM = "python_ism"
    MISSING_PACKAGE = "missing_package"
    DOES_NOT_PARSE = "does_not_parse"
    UNDEFINED_NAME = "undefined_name"
    METHOD_ERROR = "method_error"
    EXCEPTION = "exception"
    WRONG_RESULT = "wrong_result"
    TIME_OUT = "time_out"
    LIMIT = "limit"
    PROCESS_ENDED = "process_ended"
    RUN_UNKNOWN = "run_unknown"
    TESTS_UNKNOWN = "tests_unknown"

    @property
    def label(self) -> str:
        """A few words for tables and pictures."""
        return LABELS[self]


LABELS: Final = {
    Kind.TAMPERING: "tampering",
    Kind.HIT_LIMIT: "hit the limit",
    Kind.EMPTY_ANSWER: "empty answer",
    Kind.NO_CODE: "no code",
    Kind.OTHER_LANGUAGE: "another language",
    Kind.EXTRACTION_LOST: "extraction lost it",
    Kind.CUT_OFF: "cut off",
    Kind.PYTHON_ISM: "Python-ism",
    Kind.MISSING_PACKAGE: "missing package",
    Kind.DOES_NOT_PARSE: "does not parse",
    Kind.UNDEFINED_NAME: "undefined name",
    Kind.METHOD_ERROR: "method error",
    Kind.EXCEPTION: "other exception",
    Kind.WRONG_RESULT: "wrong result",
    Kind.TIME_OUT: "time-out",
    Kind.LIMIT: "memory or output limit",
    Kind.PROCESS_ENDED: "process ended",
    Kind.RUN_UNKNOWN: "did not run, cause not recorded",
    Kind.TESTS_UNKNOWN: "tests failed, cause not recorded",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why one answer lost points: one kind, and a sentence that gives the evidence."""

    kind: Kind
    why: str
    detail: str = ""
    """What the kind is about: the undefined name, the type of the exception, the habit, the language."""
