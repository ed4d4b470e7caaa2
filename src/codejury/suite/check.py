"""All problems of a definition at once: the shape of each value, then what must hold between values.

Each is an error, which makes judging impossible, or a warning.

A rule between fields looks only at values whose own shape is right: one mistake is reported once.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from ..errors import Problem, Severity, suggestion
from ..records import CRITERION_ALIASES, Criterion, Statement, TaskKind, TestCase
from .definition import (
    FAULT,
    FIELDS,
    JUDGED_WITHOUT,
    MEASURED,
    TABLE,
    DefinitionFile,
    DefinitionTable,
    StatementTable,
)
from .rules import FILLED_IN, FieldFault, is_identifier, mentions, nearest
from .schema import MEASURED_BY
from .toml_file import absolute, definition_file, read_document, render_value

Table = Mapping[str, Any]

NEEDS_GIVEN: Final = (TaskKind.FIX, TaskKind.EXTEND, TaskKind.SPEED)
"""Kinds of task that work on code which exists already."""


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
    """The test case as TOML values; optional fields are left out where they have their default."""
    from .definition import FIELDS, TABLE, DefinitionTable

    table: dict[str, Any] = {}
    for field in FIELDS:
        value, described = _as_toml(getattr(test_case, field)), DefinitionTable.model_fields[field]
        if described.is_required() or value != described.default:
            table[field] = value
    return {TABLE: table}


def _as_toml(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_as_toml(element) for element in value]
    if isinstance(value, Statement):
        return (
            {"setup": value.setup, "statement": value.statement}
            if value.setup
            else {"statement": value.statement}
        )
    return str(value)


def problems_in(document: Mapping[str, Any], file: Path | None) -> list[Problem]:
    """All problems of a document that was, or will be, the content of `file`."""
    from .definition import FIELDS, TABLE

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
    head, _, rest = field.partition("[")
    index = rest.partition("]")[0]
    return order.get(head, -1), int(index) if index.isdigit() else -1


def _faults_between(table: Table, file: Path | None) -> Iterator[tuple[str, FieldFault, str]]:
    """Field, fault and code of everything that is wrong between two values."""
    yield from _name_is_the_folder(table, file)
    yield from _prompt_mentions_name(table)
    yield from _each_criterion_once(table)
    yield from _each_criterion_measured(table)
    yield from _given_where_needed(table)
    for field in ("examples", "unit_tests", "imports"):
        yield from _no_twins(table, field)


def _name(table: Table) -> str | None:
    name = table.get("name")
    return name if isinstance(name, str) and is_identifier(name) else None


def _texts(table: Table, field: str) -> Iterator[tuple[int, str]]:
    """The strings of a list, numbered from 1; whatever else is in it has been reported."""
    values = table.get(field)
    if isinstance(values, list):
        yield from ((n, value) for n, value in enumerate(values, start=1) if isinstance(value, str))


def _name_is_the_folder(table: Table, file: Path | None) -> Iterator[tuple[str, FieldFault, str]]:
    name = _name(table)
    if name is None or file is None:
        return
    folder = absolute(file).parent.name
    # Some file systems store ö as two characters.
    if unicodedata.normalize("NFC", folder) != unicodedata.normalize("NFC", name):
        what = f"{name!r} is not the folder's name, {folder!r}"
        yield "name", FieldFault(what, "make both the same", Severity.WARNING), ""


def _prompt_mentions_name(table: Table) -> Iterator[tuple[str, FieldFault, str]]:
    name, prompt = _name(table), table.get("prompt")
    if name is None or not isinstance(prompt, str) or not prompt.strip() or FILLED_IN.fault(prompt):
        return
    if not mentions(prompt, name):
        repair = f"say what to call it, such as: Write a function `{name}` that ..."
        yield "prompt", FieldFault(f"never mentions the name {name!r}", repair, Severity.WARNING), ""


def _each_criterion_once(table: Table) -> Iterator[tuple[str, FieldFault, str]]:
    seen: dict[Criterion, tuple[int, str]] = {}
    for index, spelling in _texts(table, "criteria"):
        if spelling not in CRITERION_ALIASES:
            continue
        first, earlier = seen.setdefault(CRITERION_ALIASES[spelling], (index, spelling))
        if first != index:
            what = f"{spelling!r} means the same as criteria[{first}], {earlier!r}"
            yield f"criteria[{index}]", FieldFault(what, "name each criterion once", Severity.WARNING), ""


def _each_criterion_measured(table: Table) -> Iterator[tuple[str, FieldFault, str]]:
    for index, spelling in _texts(table, "criteria"):
        field = MEASURED_BY.get(CRITERION_ALIASES.get(spelling, Criterion.PARSED))
        if field and table.get(field) == []:
            what = f"{spelling!r} has nothing to measure: {field} is empty"
            yield f"criteria[{index}]", FieldFault(what, f"add to {field}, or drop the criterion"), ""


def _given_where_needed(table: Table) -> Iterator[tuple[str, FieldFault, str]]:
    kind = table.get("kind")
    if kind in list(NEEDS_GIVEN) and not table.get("given"):
        what = f"{kind!r} asks to work on code, and there is none in given"
        yield (
            "kind",
            FieldFault(what, "put the code into given, or choose another kind", Severity.WARNING),
            "",
        )


def _no_twins(table: Table, field: str) -> Iterator[tuple[str, FieldFault, str]]:
    seen: dict[str, int] = {}
    for index, text in _texts(table, field):
        bare = text.strip()
        first = seen.setdefault(bare, index)
        if first != index and bare and not FILLED_IN.fault(bare):
            code = "" if field == "imports" else text
            what = f"is the same as {field}[{first}]"
            yield f"{field}[{index}]", FieldFault(what, "change or remove one", Severity.WARNING), code


# ---- A document against the model: every fault pydantic finds, in our words and with its repair.

_WANTED: Final = {
    "string_type": "a string",
    "list_type": "an array of strings",
    "model_type": "a table",
}

_CODE: Final = ("examples[", "unit_tests[", f"{MEASURED}[")  # elements that are best shown whole
_LISTS: Final = ("examples", "unit_tests", "imports")  # where they are missing, they are taken as empty
_TYPES: Final = ((bool, "a boolean"), (int, "an integer"), (float, "a float"), (str, "a string"))


def shape_problems(document: Mapping[str, Any], file: Path | None) -> list[Problem]:
    """All faults of single values: missing, unknown, wrong type, against a rule."""
    try:
        DefinitionFile.model_validate(document)
    except ValidationError as exc:
        table = document.get(TABLE)
        given = table if isinstance(table, dict) else {}
        return [_problem(error, given, file) for error in exc.errors(include_url=False)]
    return []


def _problem(error: ErrorDetails, table: Mapping[str, Any], file: Path | None) -> Problem:
    fault = _fault(error, table)
    if MEASURED in error["loc"]:  # nothing depends on it but what is measured
        fault = fault._replace(severity=Severity.WARNING)
    field, value = address(error["loc"]), error["input"]
    code = value if field.startswith(_CODE) and isinstance(value, str) else ""
    return Problem(file=file, field=field, code=code, **fault._asdict())


def address(location: tuple[int | str, ...]) -> str:
    """`("code_generation", "unit_tests", 2)` -> `unit_tests[3]`: elements count from 1, as in Julia.

    What is in a table of a list has its name behind: `performance[1].setup`.
    """
    inside = location[1:] if len(location) > 1 and location[0] == TABLE else location
    head, *rest = inside
    return str(head) + "".join(f"[{step + 1}]" if isinstance(step, int) else f".{step}" for step in rest)


def _fault(error: ErrorDetails, table: Mapping[str, Any]) -> FieldFault:
    match error["type"]:
        case str(kind) if kind == FAULT:
            return FieldFault(**error["ctx"])
        case "missing":
            return _missing(error["loc"], table)
        case "extra_forbidden":
            return _unknown(error["loc"], error["input"], table)
        case "too_short":
            return FieldFault("is empty", f"such as: {_sample(str(error['loc'][-1]))}")
        case kind:
            return _wrong_type(kind, error)


def _missing(location: tuple[int | str, ...], table: Mapping[str, Any]) -> FieldFault:
    if location == (TABLE,):
        return FieldFault("the table is missing", f"put the line [{TABLE}] above the fields")
    field = str(location[-1])
    spare = field in JUDGED_WITHOUT or (field in _LISTS and not _is_counted(field, table))
    return FieldFault("is missing", f"add a line such as: {_sample(field)}", _warning_if(spare))


def _is_counted(field: str, table: Mapping[str, Any]) -> bool:
    """Whether a criterion counts the elements of this list."""
    criteria = table.get("criteria")
    named = criteria if isinstance(criteria, list) else []
    meant = [CRITERION_ALIASES[name] for name in named if isinstance(name, str) and name in CRITERION_ALIASES]
    return any(MEASURED_BY.get(criterion) == field for criterion in meant)


def _unknown(location: tuple[int | str, ...], value: Any, table: Mapping[str, Any]) -> FieldFault:
    name = str(location[-1])
    if len(location) > 1:
        if MEASURED in location:
            return FieldFault("is not a field of a statement", suggestion(name, StatementTable.model_fields))
        # A misspelt setup would be left out of every verdict; a field of somebody's own does no harm.
        meant = nearest(name, FIELDS)
        spare = meant is None or meant in table or meant in JUDGED_WITHOUT
        return FieldFault("is not a field of a definition", suggestion(name, FIELDS), _warning_if(spare))
    if name in FIELDS:
        spare = name in table or name in JUDGED_WITHOUT
        repair = f"move it below the line [{TABLE}]"
        return FieldFault(f"stands outside the table [{TABLE}]", repair, _warning_if(spare))
    kind = "table" if isinstance(value, dict) else "field"
    what = f"is an unknown {kind}; a definition has one table"
    return FieldFault(what, suggestion(name, [TABLE]), Severity.WARNING)


def _warning_if(spare: bool) -> Severity:
    return Severity.WARNING if spare else Severity.ERROR


def _wrong_type(kind: str, error: ErrorDetails) -> FieldFault:
    value, wanted = error["input"], _WANTED.get(kind, error["msg"])
    field = str(error["loc"][-1])
    repair = f"write {wanted}"
    if kind == "string_type" and isinstance(value, int | float) and not isinstance(value, bool):
        repair = f'put it in quotes: "{value}"'
    elif kind == "list_type" and isinstance(value, str):
        repair = "put it in brackets: [ ... ]"
    if field == MEASURED:
        wanted, repair = "an array of tables", f"write a line [[{TABLE}.{MEASURED}]] above each statement"
    what = f"is {type_name(value)}, must be {wanted}"
    return FieldFault(what, repair, _warning_if(field in JUDGED_WITHOUT))


def type_name(value: object) -> str:
    """The TOML name of a value's type, with its article."""
    for python_type, name in _TYPES:
        if isinstance(value, python_type):
            return name
    if isinstance(value, dict):
        return "a table"
    return "an array" if isinstance(value, list | tuple) else "a date or time"


def _sample(field: str) -> str:
    described = DefinitionTable.model_fields.get(field) or StatementTable.model_fields[field]
    examples = described.examples or [""]
    return f"{field} = {render_value(examples[0], on_one_line=True)}"
