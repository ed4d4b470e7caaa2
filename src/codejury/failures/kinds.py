"""The kinds of failure, in the order in which they are asked for. The first that holds is the one told."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Kind(StrEnum):
    """Why an answer lost points. The order is the precedence; the values are those in tables."""

    TAMPERING = "tampering"
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
