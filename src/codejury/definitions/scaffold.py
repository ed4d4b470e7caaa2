"""A new definition: commented, readable, with blanks that `codejury validate` knows as blanks."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from ..errors import InputError
from ..records import Criterion
from .files import FILE_NAME, create
from .render import render_value
from .rules import HOW_TO_NAME, blank, is_identifier
from .schema import write_schema

SCHEMA_COPY: Final = Path(".schema", "definition.schema.json")
"""Where editors find the schema, seen from the root of a suite: each suite carries its own copy."""

_HEAD: Final = f"""\
#:schema ../../{SCHEMA_COPY.as_posix()}
# A test case for Codejury. Fill in every <FILL IN: ...>, then run `codejury validate` on it.
# Julia code stands best between ''' and ''': there, quotes and backslashes need no escape.
"""

_CATEGORY: Final = re.compile(r"\w[\w-]*")


def scaffold(
    target: str,
    *,
    root: str | Path,
    contributor: str = "",
    prompt: str = "",
    solution: str = "",
    imports: Sequence[str] = (),
) -> Path:
    """Write `root`/CATEGORY/NAME/definition.toml for the target "CATEGORY/NAME"; what is "" becomes a blank.

    Raises InputError for a name that will not do, and for a file that exists: nothing is overwritten.
    """
    category, name = _split(target)
    file = Path(root, category, name, FILE_NAME)
    values: dict[str, str | list[str]] = {
        "name": name,
        "contributor": contributor or blank("your name"),
        "criteria": [criterion.value for criterion in Criterion],
        "prompt": prompt or f"Write a function `{name}` that {blank('what it takes and returns')}.",
        "version": "1.0",
        "examples": [f"{name}({blank('arguments')})"],
        "unit_tests": [
            f"@test {name}({blank('arguments')}) == {blank('the expected result')}",
            f"@test_throws {blank('an exception')} {name}({blank('bad arguments')})",
        ],
        "imports": list(imports),
        "reference_solution": solution or _unsolved(name),
    }
    create(file, scaffold_text(values))
    write_schema(Path(root, SCHEMA_COPY))
    return file


def _unsolved(name: str) -> str:
    return f"function {name}({blank('arguments')})\n    {blank('the body')}\nend\n"


def _split(target: str) -> tuple[str, str]:
    category, slash, name = target.partition("/")
    if not slash or not _CATEGORY.fullmatch(category):
        raise InputError(f"{target!r}: write CATEGORY/NAME, such as text_processing/count_vowels")
    if not is_identifier(name):
        raise InputError(f"{target!r}: the name {name!r} is not a Julia identifier; {HOW_TO_NAME}")
    return category, name


def scaffold_text(values: Mapping[str, str | list[str]]) -> str:
    """The definition with a comment above each field, and the optional fields as comments."""
    from .model import TABLE, DefinitionTable

    described = {name: field.description or "" for name, field in DefinitionTable.model_fields.items()}
    fields = [f"{_comment(described[field])}\n{field} = {_rendered(values[field])}" for field in values]
    optional = [f'# {field} = ""  # {described[field]}' for field in described if field not in values]
    extras = "\n".join(["# Optional:", *optional])
    return _HEAD + f"[{TABLE}]\n" + "\n\n".join([*fields, extras]) + "\n"


def _rendered(value: str | list[str]) -> str:
    blank_left = "<FILL IN" in "".join(value)
    return render_value(value, roomy=blank_left)


def _comment(text: str) -> str:
    return textwrap.fill(text, width=100, initial_indent="# ", subsequent_indent="# ")
