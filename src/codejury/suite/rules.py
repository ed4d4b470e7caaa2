"""What one string of a definition may hold.

A rule looks at a string and finds a Fault or nothing. Beside it stands what JSON Schema can say of the same
rule, so that editors find the same faults; where the schema is looser, the rule decides.

A fault is an error, or a warning where answers can be judged all the same; `leniently` makes a rule's faults
warnings for a field that judging does without.

"2fast"                -> Fault("is not a Julia identifier", ...)
"@test f(1) == <FILL IN: the result>"  -> Fault("still holds the blank ...", ...)
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from ..errors import Severity, suggestion
from ..records import CRITERION_ALIASES, Level, TaskKind

_KEYWORDS: Final = (
    "baremodule begin break catch const continue do else elseif end export false finally for function global "
    "if import let local macro module quote return struct true try using while"
)
KEYWORDS: Final = frozenset(_KEYWORDS.split())
HOW_TO_NAME: Final = "use letters, digits, _ and !, starting with a letter"

_BLANK: Final = re.compile(r"<FILL IN\b[^>\n]*>?")
_LETTERS: Final = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Nl", "Sc", "So"})
_MARKS: Final = frozenset({"Mn", "Mc", "Me", "Nd", "Pc", "Sk", "No"})

# ASCII is exact here and everything beyond it is let through: editors have no portable word for "letter".
_FIRST: Final = r"[^\x00-@\[-^`{-\x7f]"
_REST: Final = r'[^\x00- "-/:-@\[-^`{-\x7f]*'

# Strings, characters and comments of Julia: an `@test` inside them tests nothing.
_NOT_CODE: Final = re.compile(
    r'"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'|#=.*?=#|#[^\n]*', re.DOTALL
)

_CHECK: Final = r"@test|@assert\b"
_VERSION: Final = r"^[0-9]{1,4}\.[0-9]{1,4}(\.[0-9]{1,4})?$"


class FieldFault(NamedTuple):
    """What is wrong with a value, and how to fix it."""

    what: str
    repair: str
    severity: Severity = Severity.ERROR


@dataclass(frozen=True, slots=True)
class Rule:
    """One demand on a string, and as much of it as JSON Schema can express."""

    fault: Callable[[str], FieldFault | None]
    schema: Mapping[str, Any]
    severity: Severity = Severity.ERROR

    def look_at(self, text: str) -> FieldFault | None:
        """The fault of a string, as severe as this rule takes it."""
        fault = self.fault(text)
        return fault._replace(severity=self.severity) if fault else None


def leniently(rule: Rule) -> Rule:
    """The same rule; to break it is a warning."""
    return replace(rule, severity=Severity.WARNING)


def blank(hint: str) -> str:
    """A place to fill in, as the scaffold writes it: `blank("arguments")` -> `<FILL IN: arguments>`."""
    return f"<FILL IN: {hint}>"


def is_identifier(text: str) -> bool:
    """Whether Julia takes `text` as a name: `tidy!` and `Δx` yes; `2fast`, `a-b`, `end` and `_` no."""
    if not text.strip("_") or text in KEYWORDS:
        return False
    return _starts_name(text[0]) and all(_continues_name(char) for char in text[1:])


def _starts_name(char: str) -> bool:
    arrow = "\u2190" <= char <= "\u21ff"  # operators in Julia
    return char in "_∂∇" or (unicodedata.category(char) in _LETTERS and not arrow)


def _continues_name(char: str) -> bool:
    return char in "!′" or _starts_name(char) or unicodedata.category(char) in _MARKS


def mentions(text: str, name: str) -> bool:
    """Whether `name` stands in `text` as a word of its own: `add` is not mentioned by `added`."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def nearest(word: str, known: Iterable[str]) -> str | None:
    """`"promt"` -> `"prompt"`; None where none is near."""
    near = difflib.get_close_matches(word.lower(), list(known), n=1, cutoff=0.6)
    return near[0] if near else None


def _left_blank(text: str) -> FieldFault | None:
    found = _BLANK.search(text)
    return FieldFault(f"still holds the blank {found[0]}", "fill it in") if found else None


def _empty(text: str) -> FieldFault | None:
    return None if text.strip() else FieldFault("is empty", "write something here")


def _half_character(text: str) -> FieldFault | None:
    try:
        text.encode()
    except UnicodeEncodeError as exc:
        return FieldFault(
            f"holds half a character at {exc.start} (a lone surrogate)", "write the whole character"
        )
    return None


def _no_identifier(text: str) -> FieldFault | None:
    if is_identifier(text):
        return None
    return FieldFault(f"{text!r} is not a Julia identifier", HOW_TO_NAME)


def _no_module(text: str) -> FieldFault | None:
    if all(is_identifier(part) for part in text.split(".")):
        return None
    repair = 'write its bare name, such as "Dates" or "Base.Threads"'
    return FieldFault(f"{text!r} is not a package or module", repair)


def _no_test(text: str) -> FieldFault | None:
    if re.search(_CHECK, _NOT_CODE.sub(" ", text)):
        return None
    return FieldFault(
        "holds no @test or @assert, so it checks nothing", "use @test, @test_throws, @assert or the like"
    )


def _no_criterion(text: str) -> FieldFault | None:
    if text in CRITERION_ALIASES:
        return None
    return FieldFault(f"{text!r} is not a criterion", suggestion(text, CRITERION_ALIASES))


def _one_of(what: str, known: Iterable[str]) -> Rule:
    """A rule for words of a list: `'medium' is not a level (known: basic, core, hard)`."""
    words = [str(word) for word in known]

    def fault(text: str) -> FieldFault | None:
        return None if text in words else FieldFault(f"{text!r} is not a {what}", suggestion(text, words))

    return Rule(fault, {"enum": words})


def _no_version(text: str) -> FieldFault | None:
    if re.fullmatch(_VERSION, text):
        return None
    return FieldFault(
        f"{text!r} is not a version of Julia", 'write the least one that will do, such as "1.9"'
    )


FILLED_IN: Final = Rule(_left_blank, {"not": {"type": "string", "pattern": "<FILL IN\\b"}})
WHOLE: Final = Rule(_half_character, {})
NOT_EMPTY: Final = Rule(_empty, {"pattern": r"\S"})
IDENTIFIER: Final = Rule(_no_identifier, {"pattern": f"^{_FIRST}{_REST}$"})
MODULE: Final = Rule(_no_module, {"pattern": rf"^{_FIRST}{_REST}(\.{_FIRST}{_REST})*$"})
TESTS_SOMETHING: Final = Rule(_no_test, {"pattern": _CHECK})
CRITERION: Final = Rule(_no_criterion, {"enum": list(CRITERION_ALIASES)})
LEVEL: Final = _one_of("level", Level)
KIND: Final = _one_of("kind of task", TaskKind)
JULIA_VERSION: Final = Rule(_no_version, {"pattern": _VERSION})
