"""Everything Codejury raises on purpose. Whose failure it was is part of the type.

CodejuryError                 each carries one message for a person: what, where, how to fix it
├── InputError                a file or an option is wrong; its author fixes it (exit code 2)
│   ├── DefinitionError         a definition.toml; knows all problems of the file at once
│   └── WriteError              a file cannot be written: a full disk, no right, a file in the way
├── ToolchainError            Julia or bubblewrap is missing and could not be installed
├── SandboxError              the sandbox broke; says nothing about the candidate's code
└── ModelError                the model service gave no answer; says nothing about the model's skill
    ├── ModelRefused            final: bad key, unknown model, request refused
    └── ModelUnavailable        worth another try: rate limit, 5xx, time-out, broken connection
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final


class CodejuryError(Exception):
    """Base of all expected failures; the command line prints its text without a traceback."""


class InputError(CodejuryError):
    """Bad input from a person."""


class Severity(StrEnum):
    """How much a problem matters."""

    ERROR = "error"  # the file cannot be used as it is
    WARNING = "warning"  # it can be used, and should be fixed


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong with a file, and how to fix it."""

    file: Path | None
    field: str
    what: str
    repair: str
    code: str = ""
    """The offending Julia code, where the problem is about a piece of code."""
    severity: Severity = Severity.ERROR

    @property
    def is_error(self) -> bool:
        return self.severity is Severity.ERROR

    def __str__(self) -> str:
        where = f"{self.file}: " if self.file else ""
        mark = "" if self.is_error else "warning: "
        return f"{where}{mark}{self.field}: {self.what} ({self.repair})"


class DefinitionError(InputError):
    """A definition that cannot be used, with every problem found in it."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class WriteError(InputError):
    """A file that cannot be written: the disk is full, a right is missing, something is in the way."""


class ToolchainError(CodejuryError):
    """Julia or bubblewrap cannot be had."""


class SandboxError(CodejuryError):
    """The sandbox itself failed: the verdict is void, never zero."""


class ModelError(CodejuryError):
    """No answer came back from a model."""


class ModelRefused(ModelError):  # noqa: N818 - whose failure it was says more than `Error`
    """Asking again would not help."""


class ModelUnavailable(ModelError):  # noqa: N818 - likewise
    """Asking again may help."""

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        self.retry_after = retry_after
        super().__init__(message)


_MOST_NAMES: Final = 10
_ALIKE: Final = 0.6


def suggestion(word: str, known: Iterable[str]) -> str:
    """What somebody may have meant: names that are near, else some of those that there are.

    opnai -> did you mean `openai`?          xyz -> known: basic, core, hard
    txt/* -> did you mean `text/*`?
    A test case is near if its name is, whatever its category.
    """
    names = list(dict.fromkeys(known))
    if word.endswith("/*"):
        names = list(dict.fromkeys(f"{name.rpartition('/')[0]}/*" for name in names if "/" in name)) or names
    if near := _near(word.lower(), names):
        *others, last = (f"`{name}`" for name in near)
        return f"did you mean {', '.join(others)}{' or ' * bool(others)}{last}?"
    category, slash, _ = word.rpartition("/")
    names.sort(key=lambda name: bool(slash) and not name.startswith(f"{category}/"))
    more = len(names) - _MOST_NAMES
    told = ", ".join(names[:_MOST_NAMES]) + (f" and {more:,} more" if more > 0 else "")
    return f"known: {told}" if names else "there are none"


def _near(word: str, names: Sequence[str]) -> list[str]:
    """The names that are most like a word, up to three of them that are about as much like it."""
    from difflib import SequenceMatcher, get_close_matches

    spelt = {key.lower(): name for name in names for key in (name.rpartition("/")[2], name)}
    close = get_close_matches(word, spelt, n=3)
    likeness = {key: SequenceMatcher(None, key, word).ratio() for key in close}
    # A category in common makes no names alike.
    likeness = {key: ratio for key, ratio in likeness.items() if _same_end(key, word)}
    best = max(likeness.values(), default=0.0)
    return list(dict.fromkeys(spelt[key] for key in likeness if likeness[key] > best - 0.1))


def _same_end(key: str, word: str) -> bool:
    from difflib import SequenceMatcher

    ends = (key.rpartition("/")[2], word.rpartition("/")[2])
    return SequenceMatcher(None, *ends).ratio() >= _ALIKE
