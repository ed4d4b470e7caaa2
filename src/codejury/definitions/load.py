"""From a file to a TestCase: strict at this border, so that nobody inside has to ask again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..errors import DefinitionError
from ..records import TestCase
from .check import problems_in
from .files import absolute, definition_file, read_document


def load_definition(path: str | Path) -> TestCase:
    """The test case of a `definition.toml`, or of the folder that holds one.

    Raises DefinitionError with all problems of the file.
    """
    from .model import FIELDS, TABLE

    file = definition_file(path)
    document = read_document(file)
    if problems := problems_in(document, file):
        raise DefinitionError(problems)
    table = document[TABLE]
    values: dict[str, Any] = {field: table[field] for field in FIELDS if field in table}
    for field, value in values.items():
        values[field] = tuple(value) if isinstance(value, list) else value
    return TestCase(**values, path=absolute(file))
