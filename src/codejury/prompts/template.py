"""What a template is: two texts with placeholders in double braces.

Double braces, because single ones are Julia's (`Vector{Int}`). Every `{{` must open a known
placeholder: a typing error would otherwise be sent to a model, and paid for, as it stands.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ..errors import InputError, suggestion
from ..program import command
from ..records import Message, Prompt, TestCase

PLACEHOLDERS: Final[Mapping[str, str]] = {
    "task": "the test case's prompt",
    "name": "the test case's name: the function or type to write",
    "example": "the first example of the test case, a call as data",
    "julia": "the Julia version that the code will run on, such as `1.10`",
    "given": "the code that the test case gives, with a sentence that says so; nothing where it gives none",
}

GIVEN: Final = """\
The following code exists already. It is loaded before your answer, into the same module: do not repeat it. \
What you define again replaces the definition here."""
"""How given code is put to a model."""

# Anything between double braces, and an opening pair that is never closed.
_BRACES = re.compile(r"\{\{(?P<inside>[^{}]*)(?P<closed>\}\})?")
_NOTHING_GIVEN = re.compile(r"\n*\{\{\s*given\s*\}\}")  # with the empty lines above it


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
    hash: str = field(init=False, repr=False, compare=False)
    """SHA-256 over what is sent; a new comment, description or version does not change it."""

    def __post_init__(self) -> None:
        wrong = [what for text in (self.system, self.user) for what, _ in wrong_placeholders(text)]
        if wrong:  # a template made by a program; those from files have been checked by field
            raise InputError(f"prompt template {self.label}: {'; '.join(wrong)}; known: {listed()}")
        sent = json.dumps([self.system, self.user], ensure_ascii=True)
        object.__setattr__(self, "hash", hashlib.sha256(sent.encode()).hexdigest())

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
    """What is wrong with the braces of a template's text, and how to fix it."""
    for match in _BRACES.finditer(text):
        inside = match["inside"].strip()
        if not match["closed"]:
            what = f"`{{{{{match['inside'][:20].rstrip()}` opens a placeholder and does not close it"
            yield what, f"write one of {listed()}; text cannot contain a bare `{{{{`"
        elif inside not in PLACEHOLDERS:
            yield (
                f"unknown placeholder `{{{{{inside}}}}}`",
                suggestion(inside, PLACEHOLDERS),
            )


def listed() -> str:
    """The known placeholders as they are written in a template."""
    return ", ".join(f"{{{{{name}}}}}" for name in PLACEHOLDERS)


# ---- A template filled in for one test case.

_LACKING = {
    "example": (
        "shows an example, but test case {case} has none; "
        "add one to its definition, or choose a template without {{{{example}}}}"
    ),
    "julia": (
        "names the Julia version that the code will run on, and none is known; "
        "`" + command("setup") + "` installs a Julia, or choose a template without {{{{julia}}}}"
    ),
}


def render(template: Template, test_case: TestCase, *, julia: str = "") -> Prompt:
    """What is sent to a model; InputError where there is nothing to put into a blank.

    `julia` is the version of the Julia that will run the code, for templates that name it.
    """
    values = _values(template, test_case, julia)
    texts = {"system": template.system, "user": template.user}
    if not test_case.given.strip():
        texts = {role: _NOTHING_GIVEN.sub("", text) for role, text in texts.items()}
    filled = {role: fill_in(text, values) for role, text in texts.items() if text}
    if test_case.given.strip() and "given" not in values:
        # A template made before there was given code, or for other test cases, hides none of it.
        values["given"] = _given_section(test_case)
        filled["user"] += f"\n\n{values['given']}"
    messages = tuple(Message(role=role, content=text) for role, text in filled.items())
    return Prompt(
        label=template.label,
        messages=messages,
        variables=values,
        template_hash=template.hash,
        template_version=template.version,
    )


def major_and_minor(version: str) -> str:
    """How a question names a version of Julia: `1.10.4` -> `1.10`, `1.13.0-rc3` -> `1.13`."""
    found = re.match(r"\d+\.\d+", version)
    return found[0] if found else ""


def _values(template: Template, test_case: TestCase, julia: str) -> dict[str, str]:
    """Only what the template uses: the record says what was filled in, not what might have been."""
    known = {"task": test_case.prompt, "name": test_case.name, "given": _given_section(test_case)}
    if test_case.examples:
        known["example"] = test_case.examples[0]
    if version := major_and_minor(julia):
        known["julia"] = version
    for name in template.placeholders:
        if name not in known:
            raise InputError(f"prompt template {template.label} {_LACKING[name].format(case=test_case.name)}")
    # Without the line ends that multi-line strings of TOML bring along; an indent of the first line stays.
    return {name: known[name].lstrip("\n").rstrip() for name in template.placeholders}


def _given_section(test_case: TestCase) -> str:
    """The given code in a fence that is longer than any inside; "" where there is none."""
    code = test_case.given.strip("\n").rstrip()
    longest = max((len(run) for run in re.findall(r"`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{GIVEN}\n\n{fence}julia\n{code}\n{fence}" if code else ""
