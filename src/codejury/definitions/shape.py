"""A document against the model: every fault pydantic finds, in our words and with its repair."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from ..errors import Problem, Severity
from ..records import CRITERION_ALIASES
from .model import FAULT, FIELDS, JUDGED_WITHOUT, TABLE, DefinitionFile, DefinitionTable
from .render import render_value
from .rules import Fault, nearest, suggestion
from .schema import MEASURED_BY

_WANTED: Final = {
    "string_type": "a string",
    "list_type": "an array of strings",
    "model_type": "a table",
}

_CODE: Final = ("examples[", "unit_tests[")  # elements that are best shown whole
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
    field, value = address(error["loc"]), error["input"]
    code = value if field.startswith(_CODE) and isinstance(value, str) else ""
    return Problem(file=file, field=field, code=code, **fault._asdict())


def address(location: tuple[int | str, ...]) -> str:
    """`("code_generation", "unit_tests", 2)` -> `unit_tests[2]`; elements count from 0."""
    inside = location[1:] if len(location) > 1 and location[0] == TABLE else location
    head, *rest = inside
    return str(head) + "".join(f"[{step}]" for step in rest)


def _fault(error: ErrorDetails, table: Mapping[str, Any]) -> Fault:
    match error["type"]:
        case str(kind) if kind == FAULT:
            return Fault(**error["ctx"])
        case "missing":
            return _missing(error["loc"], table)
        case "extra_forbidden":
            return _unknown(error["loc"], error["input"], table)
        case "too_short":
            return Fault("is empty", f"such as: {_sample(str(error['loc'][-1]))}")
        case kind:
            return _wrong_type(kind, error)


def _missing(location: tuple[int | str, ...], table: Mapping[str, Any]) -> Fault:
    if location == (TABLE,):
        return Fault("the table is missing", f"put the line [{TABLE}] above the fields")
    field = str(location[-1])
    spare = field in JUDGED_WITHOUT or (field in _LISTS and not _is_counted(field, table))
    return Fault("is missing", f"add a line such as: {_sample(field)}", _warning_if(spare))


def _is_counted(field: str, table: Mapping[str, Any]) -> bool:
    """Whether a criterion counts the elements of this list."""
    criteria = table.get("criteria")
    named = criteria if isinstance(criteria, list) else []
    meant = [CRITERION_ALIASES[name] for name in named if isinstance(name, str) and name in CRITERION_ALIASES]
    return any(MEASURED_BY.get(criterion) == field for criterion in meant)


def _unknown(location: tuple[int | str, ...], value: Any, table: Mapping[str, Any]) -> Fault:
    name = str(location[-1])
    if len(location) > 1:
        # A misspelt setup would be left out of every verdict; a field of somebody's own does no harm.
        meant = nearest(name, FIELDS)
        spare = meant is None or meant in table or meant in JUDGED_WITHOUT
        return Fault("is not a field of a definition", suggestion(name, FIELDS), _warning_if(spare))
    if name in FIELDS:
        spare = name in table or name in JUDGED_WITHOUT
        repair = f"move it below the line [{TABLE}]"
        return Fault(f"stands outside the table [{TABLE}]", repair, _warning_if(spare))
    kind = "table" if isinstance(value, dict) else "field"
    what = f"is an unknown {kind}; a definition has one table"
    return Fault(what, suggestion(name, [TABLE]), Severity.WARNING)


def _warning_if(spare: bool) -> Severity:
    return Severity.WARNING if spare else Severity.ERROR


def _wrong_type(kind: str, error: ErrorDetails) -> Fault:
    value, wanted = error["input"], _WANTED.get(kind, error["msg"])
    field = str(error["loc"][-1])
    repair = f"write {wanted}"
    if kind == "string_type" and isinstance(value, int | float) and not isinstance(value, bool):
        repair = f'put it in quotes: "{value}"'
    elif kind == "list_type" and isinstance(value, str):
        repair = "put it in brackets: [ ... ]"
    what = f"is {type_name(value)}, must be {wanted}"
    return Fault(what, repair, _warning_if(field in JUDGED_WITHOUT))


def type_name(value: object) -> str:
    """The TOML name of a value's type, with its article."""
    for python_type, name in _TYPES:
        if isinstance(value, python_type):
            return name
    if isinstance(value, dict):
        return "a table"
    return "an array" if isinstance(value, list | tuple) else "a date or time"


def _sample(field: str) -> str:
    examples = DefinitionTable.model_fields[field].examples or [""]
    return f"{field} = {render_value(examples[0], on_one_line=True)}"
