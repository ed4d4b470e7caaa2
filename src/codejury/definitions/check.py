"""All problems of a definition at once: the shape of each value, then what must hold between values.

Each is an error, which makes judging impossible, or a warning.

A rule between fields looks only at values whose own shape is right: one mistake is reported once.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..errors import Problem, Severity
from ..records import CRITERION_ALIASES, Criterion, TestCase
from .files import absolute, definition_file, read_document
from .rules import FILLED_IN, Fault, is_identifier, mentions
from .schema import MEASURED_BY

Table = Mapping[str, Any]


def check_definition(path: str | Path) -> list[Problem]:
    """All problems of a file, in the order of the format; [] for a good one.

    Raises DefinitionError for a file that cannot be read or is not TOML.
    """
    file = definition_file(path)
    return problems_in(read_document(file), file)


def check_test_case(test_case: TestCase, path: Path | None = None) -> list[Problem]:
    """The same for a test case in memory; `path` is where it is going to be saved, if anywhere."""
    return problems_in(document_of(test_case), path)


def document_of(test_case: TestCase) -> dict[str, Any]:
    """The test case as TOML values; optional fields that are empty are left out."""
    from .model import FIELDS, TABLE, DefinitionTable

    table: dict[str, Any] = {}
    for field in FIELDS:
        value = getattr(test_case, field)
        if value or DefinitionTable.model_fields[field].is_required():
            table[field] = list(value) if isinstance(value, tuple) else value
    return {TABLE: table}


def problems_in(document: Mapping[str, Any], file: Path | None) -> list[Problem]:
    """All problems of a document that was, or will be, the content of `file`."""
    from .model import FIELDS, TABLE
    from .shape import shape_problems

    problems = shape_problems(document, file)
    table = document.get(TABLE)
    if isinstance(table, dict):
        problems += [
            Problem(file=file, field=field, code=code, **fault._asdict())
            for field, fault, code in _faults_between(table, file)
        ]
    order = {field: position for position, field in enumerate(FIELDS)}
    return sorted(problems, key=lambda problem: _position(problem.field, order))


def _position(field: str, order: Mapping[str, int]) -> tuple[int, int]:
    head, _, index = field.rstrip("]").partition("[")
    return order.get(head, -1), int(index) if index.isdigit() else -1


def _faults_between(table: Table, file: Path | None) -> Iterator[tuple[str, Fault, str]]:
    """Field, fault and code of everything that is wrong between two values."""
    yield from _name_is_the_folder(table, file)
    yield from _prompt_mentions_name(table)
    yield from _each_criterion_once(table)
    yield from _each_criterion_measured(table)
    for field in ("examples", "unit_tests", "imports"):
        yield from _no_twins(table, field)


def _name(table: Table) -> str | None:
    name = table.get("name")
    return name if isinstance(name, str) and is_identifier(name) else None


def _texts(table: Table, field: str) -> Iterator[tuple[int, str]]:
    """The strings of a list with their index; whatever else is in it has been reported."""
    values = table.get(field)
    if isinstance(values, list):
        yield from ((index, value) for index, value in enumerate(values) if isinstance(value, str))


def _name_is_the_folder(table: Table, file: Path | None) -> Iterator[tuple[str, Fault, str]]:
    name = _name(table)
    if name is None or file is None:
        return
    folder = absolute(file).parent.name
    # Some file systems store ö as two characters.
    if unicodedata.normalize("NFC", folder) != unicodedata.normalize("NFC", name):
        what = f"{name!r} is not the folder's name, {folder!r}"
        yield "name", Fault(what, "make both the same", Severity.WARNING), ""


def _prompt_mentions_name(table: Table) -> Iterator[tuple[str, Fault, str]]:
    name, prompt = _name(table), table.get("prompt")
    if name is None or not isinstance(prompt, str) or not prompt.strip() or FILLED_IN.fault(prompt):
        return
    if not mentions(prompt, name):
        repair = f"say what to call it, such as: Write a function `{name}` that ..."
        yield "prompt", Fault(f"never mentions the name {name!r}", repair, Severity.WARNING), ""


def _each_criterion_once(table: Table) -> Iterator[tuple[str, Fault, str]]:
    seen: dict[Criterion, tuple[int, str]] = {}
    for index, spelling in _texts(table, "criteria"):
        if spelling not in CRITERION_ALIASES:
            continue
        first, earlier = seen.setdefault(CRITERION_ALIASES[spelling], (index, spelling))
        if first != index:
            what = f"{spelling!r} means the same as criteria[{first}], {earlier!r}"
            yield f"criteria[{index}]", Fault(what, "name each criterion once", Severity.WARNING), ""


def _each_criterion_measured(table: Table) -> Iterator[tuple[str, Fault, str]]:
    for index, spelling in _texts(table, "criteria"):
        field = MEASURED_BY.get(CRITERION_ALIASES.get(spelling, Criterion.PARSED))
        if field and table.get(field) == []:
            what = f"{spelling!r} has nothing to measure: {field} is empty"
            yield f"criteria[{index}]", Fault(what, f"add to {field}, or drop the criterion"), ""


def _no_twins(table: Table, field: str) -> Iterator[tuple[str, Fault, str]]:
    seen: dict[str, int] = {}
    for index, text in _texts(table, field):
        bare = text.strip()
        first = seen.setdefault(bare, index)
        if first != index and bare and not FILLED_IN.fault(bare):
            code = "" if field == "imports" else text
            what = f"is the same as {field}[{first}]"
            yield f"{field}[{index}]", Fault(what, "change or remove one", Severity.WARNING), code
