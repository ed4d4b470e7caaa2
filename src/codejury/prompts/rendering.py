"""A template filled in for one test case."""

from __future__ import annotations

from ..errors import InputError
from ..records import Message, Prompt, TestCase
from .template import Template, fill_in


def render(template: Template, test_case: TestCase) -> Prompt:
    """What is sent to a model; InputError where the test case has nothing for a blank."""
    values = _values(template, test_case)
    texts = (("system", template.system), ("user", template.user))
    messages = tuple(Message(role=role, content=fill_in(text, values)) for role, text in texts if text)
    return Prompt(
        label=template.label,
        messages=messages,
        variables=values,
        template_hash=template.hash,
        template_version=template.version,
    )


def _values(template: Template, test_case: TestCase) -> dict[str, str]:
    """Only what the template uses: the record says what was filled in, not what might have been."""
    known = {"task": test_case.prompt, "name": test_case.name}
    if test_case.examples:
        known["example"] = test_case.examples[0]
    missing = [name for name in template.placeholders if name not in known]
    if missing:
        raise InputError(
            f"prompt template {template.label} shows an example, but test case {test_case.name} has none; "
            "add one to its definition, or choose a template without {{example}}"
        )
    # Without the line ends that multi-line strings of TOML bring along; an indent of the first line stays.
    return {name: known[name].lstrip("\n").rstrip() for name in template.placeholders}
