"""One evaluation -> one kind of failure, with the reason. Pure: it reads no file and asks nobody.

The order of the questions is the precedence of `Kind`: first what stands above the code (tampering, no code,
another language, code that was lost or cut off), then what the code did.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .answers import (
    Piece,
    cut_off,
    julia_within,
    lost_by_the_predecessor,
    other_language,
    stands_among_prose,
    unused_definition,
)
from .blocks import failure_of_blocks
from .code_text import JULIA, defines
from .evidence import Evidence, evidence_of, lost_points
from .kinds import Failure, Kind
from .python_isms import in_code, in_syntax

_NONE: Final = "none"
_LENGTH: Final = frozenset({"length", "max_tokens", "MAX_TOKENS"})


def classify(row: Mapping[str, Any], answer: str | None = None) -> Failure | None:
    """Say why an evaluation lost points; None if it lost none, or if it is void: that is no failure.

    `row` is a row of the frame, the JSON object of an evaluation file, or both merged: the more it holds, the
    more can be told. `answer` is what the model wrote, if that is at hand.
    """
    if not lost_points(row):
        return None
    return explained(evidence_of(row, answer))


def explained(evidence: Evidence) -> Failure:
    """Say why an evaluation that lost points did so."""
    return _ours(evidence) if evidence.ours else _predecessors(evidence)


def needs_answer(evidence: Evidence) -> bool:
    """Whether the text of the answer could tell more than the evaluation alone."""
    if not evidence.ours:
        return True
    first = evidence.troubles[0] if evidence.troubles else None
    return evidence.rule == _NONE or (
        first is not None
        and (
            first.message.startswith("incomplete")
            or f"`{evidence.test_case}` is not defined" in first.message
        )
    )


def _ours(evidence: Evidence) -> Failure:
    if evidence.tampering:
        return Failure(kind=Kind.TAMPERING, why=f"The code acted on the judge: {evidence.tampering[0]}")
    if evidence.rule == _NONE:
        return _without_code(evidence.answer, evidence.test_case)
    return _lost_or_cut(evidence) or _unparsed(evidence) or failure_of_blocks(evidence) or _unknown(evidence)


def _without_code(answer: str | None, name: str) -> Failure:
    """Say what there was where the judge found no Julia code."""
    if answer is None:
        return Failure(kind=Kind.NO_CODE, why="No Julia code was found, and the answer is not at hand")
    if not answer.strip():
        return Failure(kind=Kind.NO_CODE, why="The answer is empty", detail="empty")
    piece = julia_within(answer)
    if piece is not None and (failure := _not_taken(piece, name)):
        return failure
    if language := other_language(answer):
        return Failure(kind=Kind.OTHER_LANGUAGE, why=f"The answer is written in {language}", detail=language)
    return Failure(kind=Kind.NO_CODE, why="The answer holds prose and no code", detail="prose")


def _not_taken(piece: Piece, name: str) -> Failure | None:
    """Julia code that the judge did not take. A block without a tag is taken if it parses, so it does not."""
    if not piece.fenced and stands_among_prose(piece.code):
        why = "There is Julia code among prose, without a fence, so it was not taken"
        return Failure(kind=Kind.EXTRACTION_LOST, why=why, detail="no fence")
    if piece.says_another_language and defines(piece.code, name):
        why = f"What looks like Julia code is tagged as {piece.language}, so it was not taken"
        return Failure(kind=Kind.EXTRACTION_LOST, why=why, detail="tag")
    if not piece.fenced or not piece.tag:
        failure = _unparsable(piece.code, "")
        why = f"Without a tag for Julia, code is taken if it parses. {failure.why}"
        return Failure(kind=failure.kind, why=why, detail=failure.detail)
    if piece.language == JULIA and piece.code.strip():
        return Failure(
            kind=Kind.EXTRACTION_LOST, why=f"A block tagged as {piece.tag} was not taken", detail="block"
        )
    return None


def _lost_or_cut(evidence: Evidence) -> Failure | None:
    """Code that the answer holds and the judge did not take, or that the model did not finish."""
    first = evidence.troubles[0] if evidence.troubles else None
    if first is None:
        return None
    answer, name = evidence.answer, evidence.test_case
    undefined = first.error_type == "UndefVarError" and f"`{name}` is" in first.message
    if undefined and answer is not None and (piece := unused_definition(answer, evidence.code, name)):
        why = f"The answer defines `{name}`, and the block that does was not taken"
        lost = Failure(kind=Kind.EXTRACTION_LOST, why=why, detail="block")
        return lost if piece.tag else _not_taken(piece, name) or lost
    stopped = evidence.finish_reason in _LENGTH
    if not evidence.parsed and first.message.startswith("incomplete"):
        if stopped:
            return Failure(kind=Kind.CUT_OFF, why="The model hit its token limit in the middle of the code")
        if answer is not None and cut_off(answer):
            return Failure(kind=Kind.CUT_OFF, why="The answer ends in the middle of the code")
    return None


def _unparsed(evidence: Evidence) -> Failure | None:
    if evidence.parsed:
        return None
    return _unparsable(evidence.code, evidence.troubles[0].message if evidence.troubles else "")


def _unparsable(code: str, message: str) -> Failure:
    if habit := in_syntax(code, message):
        return Failure(
            kind=Kind.PYTHON_ISM, why=f"It does not parse, and has {habit}, as in Python", detail=habit
        )
    said = message.strip().partition("\n")[0]
    return Failure(kind=Kind.DOES_NOT_PARSE, why=f"It does not parse{': ' if said else ''}{said}")


def _predecessors(evidence: Evidence) -> Failure:
    """Flags and counts say how far it got; the answer, if there is one, sometimes why not further."""
    return (_from_the_answer(evidence) if evidence.answer is not None else None) or _unknown(evidence)


def _from_the_answer(evidence: Evidence) -> Failure | None:
    answer = evidence.answer or ""
    piece = julia_within(answer)
    if not evidence.parsed:
        if piece is None:
            return _without_code(answer, evidence.test_case)
        if why := lost_by_the_predecessor(answer):
            return Failure(kind=Kind.EXTRACTION_LOST, why=f"The predecessor judged it: {why}")
        if not piece.fenced:
            return Failure(kind=Kind.EXTRACTION_LOST, why="The code is not in a fence", detail="no fence")
        if habit := in_syntax(piece.code, ""):
            return Failure(
                kind=Kind.PYTHON_ISM, why=f"It does not parse, and has {habit}, as in Python", detail=habit
            )
        return None
    if habit := in_code(piece.code if piece else ""):
        return Failure(
            kind=Kind.PYTHON_ISM, why=f"The code uses {habit}, which only Python has", detail=habit
        )
    return None


def _unknown(evidence: Evidence) -> Failure:
    """What the flags alone tell. The predecessor recorded no error, so there is nothing to make up."""
    if not evidence.parsed:
        return Failure(kind=Kind.DOES_NOT_PARSE, why="It does not parse; no message was recorded")
    if not evidence.executed:
        return Failure(kind=Kind.RUN_UNKNOWN, why="It parses and does not run; the error was not recorded")
    failed = evidence.tests_count - evidence.tests_passed
    if failed:
        what = f"{failed} of {evidence.tests_count} unit tests"
    else:
        what = f"{evidence.examples_count - evidence.examples_executed} of {evidence.examples_count} examples"
    why = f"It runs, and {what} fail; whether by a result or an exception was not recorded"
    return Failure(kind=Kind.TESTS_UNKNOWN, why=why)
