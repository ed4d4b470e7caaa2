"""A template filled in for one test case."""

from __future__ import annotations

import re

from ..errors import InputError
from ..records import Message, Prompt, TestCase
from .template import Template, fill_in

_LACKING = {
    "example": (
        "shows an example, but test case {case} has none; "
        "add one to its definition, or choose a template without {{{{example}}}}"
    ),
    "julia": (
        "names the Julia version that the code will run on, and none is known; "
        "`codejury setup` installs a Julia, or choose a template without {{{{julia}}}}"
    ),
}


def render(template: Template, test_case: TestCase, *, julia: str = "") -> Prompt:
    """What is sent to a model; InputError where there is nothing to put into a blank.

    `julia` is the version of the Julia that will run the code, for templates that name it.
    """
    values = _values(template, test_case, julia)
    texts = (("system", template.system), ("user", template.user))
    messages = tuple(Message(role=role, content=fill_in(text, values)) for role, text in texts if text)
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
    known = {"task": test_case.prompt, "name": test_case.name}
    if test_case.examples:
        known["example"] = test_case.examples[0]
    if version := major_and_minor(julia):
        known["julia"] = version
    for name in template.placeholders:
        if name not in known:
            raise InputError(f"prompt template {template.label} {_LACKING[name].format(case=test_case.name)}")
    # Without the line ends that multi-line strings of TOML bring along; an indent of the first line stays.
    return {name: known[name].lstrip("\n").rstrip() for name in template.placeholders}
