"""From a TestCase to a file that a person likes to read and edit.

Over an existing definition only the values that changed are written anew: the order of the fields, the
comments and the layout of everything else stay.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from ..errors import DefinitionError
from ..records import TestCase
from .check import check_test_case, document_of
from .toml_file import definition_file, read_text, render_value, write_atomically


def save_definition(test_case: TestCase, path: str | Path) -> None:
    """Write the test case; `load_definition` of the file gives the same one back.

    Raises DefinitionError for a test case that could not be loaded again, and leaves the file alone.
    """
    file = definition_file(path)
    problems = check_test_case(test_case, file)
    if any(problem.is_error for problem in problems):
        raise DefinitionError(problems)
    document = document_of(test_case)
    text = _edited(file, document) if file.is_file() else None
    write_atomically(file, text if text is not None else fresh_text(document))


def fresh_text(document: dict[str, dict[str, Any]]) -> str:
    """The document as new text; a value that takes several lines gets air around it."""
    text = ""
    for table, fields in document.items():
        text += f"[{table}]"
        blocks = [f"{field} = {render_value(value)}" for field, value in fields.items()]
        for above, block in zip(["", *blocks], blocks, strict=False):
            text += ("\n\n" if "\n" in above + block else "\n") + block
    return text + "\n"


def _edited(file: Path, document: dict[str, Any]) -> str | None:
    """The file's text with the values of `document`; None if the file is no definition to keep."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        old_text = read_text(file)
        old = tomllib.loads(old_text)
        edited = tomlkit.parse(old_text)
        if old.keys() != document.keys() or not all(isinstance(table, dict) for table in old.values()):
            return None
        wanted = {table: _spelt_out(old[table]) | fields for table, fields in document.items()}
        for table, fields in wanted.items():
            _update(edited[table], old[table], fields)
        text = tomlkit.dumps(edited)
        return text if tomllib.loads(text) == wanted else None
    except (DefinitionError, tomllib.TOMLDecodeError, TOMLKitError):
        return None


def _spelt_out(old: dict[str, Any]) -> dict[str, Any]:
    """The defaults that a file names all the same, such as `level = "core"`: they stay."""
    from .definition import DefinitionTable

    defaults = {name: field.default for name, field in DefinitionTable.model_fields.items()}
    return {name: value for name, value in old.items() if value != "" and defaults.get(name) == value}


def _update(table: Any, old: dict[str, Any], new: dict[str, Any]) -> None:
    """Bring a tomlkit table up to date, touching only what differs."""
    from tomlkit import value as parsed

    for field in old.keys() - new.keys():
        del table[field]
    for field, value in new.items():
        before = old.get(field)
        if before == value:
            continue
        if isinstance(value, list) and isinstance(before, list) and len(value) == len(before):
            for index, (element, was) in enumerate(zip(value, before, strict=True)):
                if element != was:
                    table[field][index] = parsed(render_value(element))
        else:
            table[field] = parsed(render_value(value))
