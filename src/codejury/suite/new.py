"""A new definition: commented, readable, with blanks that `codejury validate` knows as blanks."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from ..errors import InputError
from ..records import Criterion, Level, TaskKind, TestCase
from .check import NEEDS_GIVEN
from .requirements import CANARY_LINE
from .rules import HOW_TO_NAME, blank, is_identifier, nearest
from .schema import write_schema
from .toml_file import FILE_NAME, Value, create, render_value

SCHEMA_COPY: Final = Path(".schema", "definition.schema.json")
"""Where editors find the schema, seen from the root of a suite: each suite carries its own copy."""

_HEAD: Final = f"""\
#:schema ../../{SCHEMA_COPY.as_posix()}
{CANARY_LINE}
# A test case for Codejury. Fill in every <FILL IN: ...>, then run `codejury validate` on it.
# After: {blank("what the case is after, such as exact fits, and no stray empty lines")}
# Julia code stands best between ''' and ''': there, quotes and backslashes need no escape.
"""

_CATEGORY: Final = re.compile(r"\w[\w-]*")
SUITE: Final = "code_generation"


def suite_around(here: Path) -> Path:
    """Where a new definition goes: the suite that this folder is in, else `code_generation` below it."""
    inside = (folder for folder in (here, *here.parents) if folder.name == SUITE)
    return next(inside, here / SUITE)


def categories_of(root: Path) -> list[str]:
    """The categories of a suite, as its folders are called."""
    return sorted({file.parent.parent.name for file in root.glob(f"*/*/{FILE_NAME}")})


def same_category(category: str, known: Sequence[str]) -> str:
    """The known category that is meant: `Strings and text` -> `strings_and_text`; "" if there is none."""
    return next((name for name in known if _letters(name) == _letters(category)), "")


def similar_category(category: str, known: Sequence[str]) -> str:
    """The known category that may have been meant: `string_and_txt` -> `strings_and_text`; else ""."""
    by_letters = {_letters(name): name for name in known}
    return by_letters.get(nearest(_letters(category), by_letters) or "", "")


def _letters(category: str) -> str:
    return "".join(character for character in category.casefold() if character.isalnum())


def scaffold(
    target: str,
    *,
    root: str | Path,
    contributor: str = "",
    prompt: str = "",
    solution: str = "",
    imports: Sequence[str] = (),
    kind: TaskKind = TaskKind.WRITE,
) -> Path:
    """Write `root`/CATEGORY/NAME/definition.toml for the target "CATEGORY/NAME"; what is "" becomes a blank.

    A kind of task that works on code has a blank for the given code. Raises InputError for a name that will
    not do, and for a file that exists: nothing is overwritten.
    """
    category, name = _split(target)
    file = Path(root, category, name, FILE_NAME)
    values: dict[str, Value] = {
        "name": name,
        "contributor": contributor or blank("your name"),
        "criteria": [criterion.value for criterion in Criterion],
        "prompt": prompt or _asked(name, kind),
        "version": "1.0",
        "examples": [f"{name}({blank('arguments')})"],
        "unit_tests": [
            f"@test {name}({blank('arguments')}) == {blank('the expected result')}",
            f"@test_throws {blank('an exception')} {name}({blank('bad arguments')})",
        ],
        "imports": list(imports),
        "reference_solution": solution or _unsolved(name),
    }
    if kind is not TaskKind.WRITE:
        values |= {"level": Level.CORE.value, "kind": kind.value}
    if kind in NEEDS_GIVEN:
        values["given"] = blank("the code that exists already")
    if kind is TaskKind.SPEED:
        setup = f"data = {blank('what it works on, at least 20 microseconds long')}"
        values["performance"] = [{"setup": setup, "statement": f"{name}(data)"}]
    create(file, scaffold_text(values))
    write_schema(Path(root, SCHEMA_COPY))
    return file


def scaffold_fix(
    target: str, origin: TestCase, given: str, *, root: str | Path, contributor: str = ""
) -> Path:
    """Write a definition that asks to fix `given`, a faulty solution of the test case `origin`.

    The tests and the solution are those of `origin`, whose name it keeps; the prompt tells the symptom, and
    that is left to a person.
    """
    category, name = _split(target)
    if name != origin.name:
        raise InputError(f"{target!r}: the tests call `{origin.name}`, so the name has to be that one")
    file = Path(root, category, name, FILE_NAME)
    values: dict[str, Value] = {
        "name": name,
        "contributor": contributor or blank("your name"),
        "criteria": list(origin.criteria),
        "prompt": _asked(name, TaskKind.FIX) + f"\n\nWhat it should do:\n\n{origin.prompt.strip()}",
        "version": "1.0",
        "examples": list(origin.examples),
        "unit_tests": list(origin.unit_tests),
        "imports": list(origin.imports),
        "reference_solution": origin.reference_solution,
        "level": origin.level,
        "kind": TaskKind.FIX.value,
        "given": given,
    }
    around = ("examples_setup", "examples_teardown", "unit_tests_setup", "unit_tests_teardown", "julia")
    values |= {field: text for field in around if (text := getattr(origin, field))}
    create(file, scaffold_text(values))
    write_schema(Path(root, SCHEMA_COPY))
    return file


def _asked(name: str, kind: TaskKind) -> str:
    """The beginning of a prompt for each kind of task, with what is left to say."""
    return {
        TaskKind.WRITE: f"Write a function `{name}` that {blank('what it takes and returns')}.",
        TaskKind.FIX: f"Fix `{name}`: {blank('the symptom, as a user would tell it')}.",
        TaskKind.EXTEND: f"Extend the given code by `{name}`, which {blank('what it takes and returns')}.",
        TaskKind.TRANSLATE: f"Write `{name}` in Julia, which does the same as this "
        f"{blank('language')} code: {blank('the code')}",
        TaskKind.SPEED: f"Make `{name}` faster: {blank('what it must reach, such as no allocation')}. "
        "Its results stay the same.",
        TaskKind.TEST: f"Write a function `{name}(implementation)` that returns whether "
        f"{blank('what a right implementation does')}.",
    }[kind]


def _unsolved(name: str) -> str:
    return f"function {name}({blank('arguments')})\n    {blank('the body')}\nend\n"


def _split(target: str) -> tuple[str, str]:
    category, slash, name = target.rpartition("/")
    if not slash or not _CATEGORY.fullmatch(category):
        raise InputError(f"{target!r}: write CATEGORY/NAME, such as text_processing/count_vowels")
    if not is_identifier(name):
        raise InputError(f"{target!r}: the name {name!r} is not a Julia identifier; {HOW_TO_NAME}")
    return category, name


def scaffold_text(values: Mapping[str, Value]) -> str:
    """The definition with a comment above each field, and the optional fields as comments."""
    from .definition import TABLE, DefinitionTable

    described = {name: field.description or "" for name, field in DefinitionTable.model_fields.items()}
    fields = [f"{_comment(described[field])}\n{field} = {_rendered(values[field])}" for field in values]
    optional = [
        f"# {field} = {_empty(field)}  # {described[field]}" for field in described if field not in values
    ]
    extras = "\n".join(["# Optional:", *optional])
    return _HEAD + f"[{TABLE}]\n" + "\n\n".join([*fields, extras]) + "\n"


def _empty(field: str) -> str:
    return "[]" if field == "performance" else '""'


def _rendered(value: Value) -> str:
    blank_left = "<FILL IN" in str(value)
    return render_value(value, roomy=blank_left)


def _comment(text: str) -> str:
    return textwrap.fill(text, width=100, initial_indent="# ", subsequent_indent="# ")
