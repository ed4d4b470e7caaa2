"""What a template is: two texts with placeholders in double braces.

Double braces, because single ones are Julia's (`Vector{Int}`). Every `{{` must open a known
placeholder: a typing error would otherwise be sent to a model, and paid for, as it stands.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from ..errors import InputError

PLACEHOLDERS: Final[Mapping[str, str]] = {
    "task": "the test case's prompt",
    "name": "the test case's name: the function or type to write",
    "example": "the first example of the test case, a call as data",
    "julia": "the Julia version that the code will run on, such as `1.10`",
}

# Anything between double braces, and an opening pair that is never closed.
_BRACES = re.compile(r"\{\{(?P<inside>[^{}]*)(?P<closed>\}\})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A system and a user message with blanks for the test case."""

    label: str
    system: str
    """"" where no system message is sent."""
    user: str
    version: str
    description: str
    origin: Path | None = field(default=None, compare=False)
    """The file it was read from."""

    def __post_init__(self) -> None:
        wrong = [what for text in (self.system, self.user) for what, _ in wrong_placeholders(text)]
        if wrong:  # a template made by a program; those from files have been checked by field
            raise InputError(f"prompt template {self.label}: {'; '.join(wrong)}; known: {listed()}")

    @property
    def hash(self) -> str:
        """SHA-256 over what is sent; a new comment, description or version does not change it."""
        sent = json.dumps([self.system, self.user], ensure_ascii=True)
        return hashlib.sha256(sent.encode()).hexdigest()

    @property
    def placeholders(self) -> tuple[str, ...]:
        """Those it uses, each once, in the order of `PLACEHOLDERS`."""
        used = {match["inside"].strip() for match in _BRACES.finditer(self.system + self.user)}
        return tuple(name for name in PLACEHOLDERS if name in used)


def fill_in(text: str, values: Mapping[str, str]) -> str:
    """Put the values in, in one pass: braces inside a value stay as they are.

    "Solve: {{task}}", {"task": "print {{name}}"} -> "Solve: print {{name}}"
    """
    return _BRACES.sub(lambda match: values[match["inside"].strip()], text)


def wrong_placeholders(text: str) -> Iterator[tuple[str, str]]:
    """What is wrong with the braces of a template's text, and how to mend it."""
    for match in _BRACES.finditer(text):
        inside = match["inside"].strip()
        if not match["closed"]:
            what = f"`{{{{{match['inside'][:20].rstrip()}` opens a placeholder and does not close it"
            yield what, f"write one of {listed()}; text cannot contain a bare `{{{{`"
        elif inside not in PLACEHOLDERS:
            yield (
                f"unknown placeholder `{{{{{inside}}}}}`",
                f"{did_you_mean(inside, PLACEHOLDERS)}known: {listed()}",
            )


def listed() -> str:
    """The known placeholders as they are written in a template."""
    return ", ".join(f"{{{{{name}}}}}" for name in PLACEHOLDERS)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`did you mean "task"? `, or "" where nothing known is near."""
    by_lower = {name.lower(): name for name in known}
    near = get_close_matches(word.lower(), by_lower, n=1, cutoff=0.6)
    return f'did you mean "{by_lower[near[0]]}"? ' if near else ""
