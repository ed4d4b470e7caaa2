"""One block that went wrong: the kind of its failure, from how it ended and what the exception said."""

from __future__ import annotations

from collections import Counter
from typing import Final

from ..records import Ending
from .evidence import Evidence, Trouble
from .kinds import Failure, Kind
from .packages import hint_for, missing_package
from .python_isms import in_error, undefined_name

_MOST_CHARACTERS: Final = 160
_ENDINGS: Final = {
    Ending.FAILED: (Kind.WRONG_RESULT, "gave another result than asked for"),
    Ending.TIMED_OUT: (Kind.TIME_OUT, "ran out of time"),
    Ending.OUT_OF_MEMORY: (Kind.LIMIT, "used more memory than it may"),
    Ending.OUTPUT_FLOOD: (Kind.LIMIT, "printed more than it may"),
    Ending.DIED: (Kind.PROCESS_ENDED, "ended the process"),
}


def failure_of_blocks(evidence: Evidence) -> Failure | None:
    """Return the failure of the main code; if that ran, the one that most examples and tests share.

    Of two that are equally frequent, the one that came first.
    """
    if not evidence.troubles:
        return None
    if evidence.troubles[0].kind == "main":
        return failure_of(evidence.troubles[0], evidence)
    failures = [failure_of(trouble, evidence) for trouble in evidence.troubles]
    (kind, _), *_ = Counter(failure.kind for failure in failures).most_common(1)
    return next(failure for failure in failures if failure.kind is kind)


def failure_of(trouble: Trouble, evidence: Evidence) -> Failure:
    """Return the kind of one block's failure."""
    if trouble.ending in _ENDINGS:
        kind, what = _ENDINGS[Ending(trouble.ending)]
        return Failure(
            kind=kind, why=_sentence(f"{trouble.where} {what}", trouble.message), detail=trouble.ending
        )
    if habit := in_error(trouble.error_type, trouble.message, evidence.code):
        why = _sentence(f"{trouble.where} failed by {habit}, as in Python", trouble.message)
        return Failure(kind=Kind.PYTHON_ISM, why=why, detail=habit)
    if trouble.error_type == "UndefVarError":
        return _undefined(trouble, evidence)
    kind = Kind.METHOD_ERROR if trouble.error_type == "MethodError" else Kind.EXCEPTION
    why = _sentence(f"{trouble.where} raised {trouble.error_type or 'an exception'}", trouble.message)
    return Failure(
        kind=kind, why=why, detail=_called(trouble) if kind is Kind.METHOD_ERROR else trouble.error_type
    )


def _undefined(trouble: Trouble, evidence: Evidence) -> Failure:
    name = undefined_name(trouble.message)
    if name != evidence.test_case and (
        package := missing_package(name, evidence.dropped_imports, evidence.code)
    ):
        why = f"{trouble.where} needs `{name}`, and {package}, which the answer imports, is not installed"
        return Failure(kind=Kind.MISSING_PACKAGE, why=_sentence(why), detail=package)
    said = f"{trouble.where} needs `{name}`, which is not defined"
    asked = "; it is what was asked for" if name == evidence.test_case else hint_for(name)
    return Failure(kind=Kind.UNDEFINED_NAME, why=_sentence(f"{said}{asked}"), detail=name)


def _called(trouble: Trouble) -> str:
    """The function that has no such method: "no method matching f(::Int64)" -> "f"."""
    return trouble.message.partition("matching ")[2].partition("(")[0]


def _sentence(what: str, message: str = "") -> str:
    """The sentence of a failure, with the first line of a message."""
    said = message.strip().partition("\n")[0]
    if len(said) > _MOST_CHARACTERS:
        said = f"{said[:_MOST_CHARACTERS]}…"
    return f"{what[0].upper()}{what[1:]}{': ' if said else ''}{said}"
