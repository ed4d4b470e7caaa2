"""From a file to a TestCase: all checks are here, so that no other module needs any.

What is wrong with a field that judging needs is an error, and there is no test case. What is wrong elsewhere
is a warning: the test case is there, with "" or an empty list for what the file does not give.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ..errors import DefinitionError, Problem
from ..records import Level, Statement, TaskKind, TestCase
from .check import problems_in
from .toml_file import absolute, definition_file, read_document

_LISTS: Final = ("criteria", "examples", "unit_tests", "imports")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What came of reading a definition."""

    test_case: TestCase | None
    """None if one of the problems is an error."""
    problems: tuple[Problem, ...]


def load_definition(path: str | Path) -> TestCase:
    """The test case of a `definition.toml`, or of the folder that holds one.

    Raises DefinitionError, with all problems of the file, if one of them makes judging impossible.
    """
    reading = read_definition(path)
    if reading.test_case is None:
        raise DefinitionError(reading.problems)
    return reading.test_case


def read_definition(path: str | Path) -> Reading:
    """The test case as far as there is one, and all problems of the file. Raises nothing."""
    from .definition import TABLE

    file = definition_file(path)
    try:
        document = read_document(file)
    except DefinitionError as exc:
        return Reading(test_case=None, problems=exc.problems)
    problems = tuple(problems_in(document, file))
    if any(problem.is_error for problem in problems):
        return Reading(test_case=None, problems=problems)
    return Reading(test_case=_test_case(document[TABLE], file), problems=problems)


def _test_case(table: Mapping[str, Any], file: Path) -> TestCase:
    """The test case of a table without errors."""
    from .definition import FIELDS, JUDGED_WITHOUT, MEASURED

    values = {field: table[field] for field in FIELDS if field in table}
    texts = {field: _text(values.get(field)) for field in JUDGED_WITHOUT}
    lists = {field: tuple(values.get(field, ())) for field in _LISTS}
    words = {
        "level": texts["level"] if texts["level"] in list(Level) else Level.CORE.value,
        "kind": texts["kind"] if texts["kind"] in list(TaskKind) else TaskKind.WRITE.value,
    }
    measured = {MEASURED: _statements(values.get(MEASURED, []))}
    return TestCase(**values | texts | lists | words | measured, path=absolute(file))


def _statements(tables: object) -> tuple[Statement, ...]:
    """What is to be measured; nothing where any of it is not as it should be."""
    from pydantic import TypeAdapter, ValidationError

    from .definition import StatementTable

    try:
        good = TypeAdapter(list[StatementTable]).validate_python(tables)
    except ValidationError:
        return ()
    return tuple(Statement(statement=one.statement, setup=one.setup) for one in good)


def _text(value: object) -> str:
    """A text that judging does without: `1.0` is "1.0", and what is no text at all is ""."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if isinstance(value, str) or number else ""
