"""A document against the model: every fault pydantic finds, in our words and with its repair."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from ..errors import Problem
from .model import FAULT, FIELDS, TABLE, DefinitionFile, DefinitionTable
from .render import render_value
from .rules import Fault, suggestion

_WANTED: Final = {
    "string_type": "a string",
    "list_type": "an array of strings",
    "model_type": "a table",
}

_CODE: Final = ("examples[", "unit_tests[")  # elements that are best shown whole
_TYPES: Final = ((bool, "a boolean"), (int, "an integer"), (float, "a float"), (str, "a string"))


def shape_problems(document: Mapping[str, Any], file: Path | None) -> list[Problem]:
    """All faults of single values: missing, unknown, wrong type, against a rule."""
    try:
        DefinitionFile.model_validate(document)
    except ValidationError as exc:
        return [_problem(error, file) for error in exc.errors(include_url=False)]
    return []


def _problem(error: ErrorDetails, file: Path | None) -> Problem:
    what, repair = _fault(error)
    field, value = address(error["loc"]), error["input"]
    code = value if field.startswith(_CODE) and isinstance(value, str) else ""
    return Problem(file=file, field=field, what=what, repair=repair, code=code)


def address(location: tuple[int | str, ...]) -> str:
    """`("code_generation", "unit_tests", 2)` -> `unit_tests[2]`; elements count from 0."""
    inside = location[1:] if len(location) > 1 and location[0] == TABLE else location
    head, *rest = inside
    return str(head) + "".join(f"[{step}]" for step in rest)


def _fault(error: ErrorDetails) -> Fault:
    match error["type"]:
        case str(kind) if kind == FAULT:
            return Fault(**error["ctx"])
        case "missing":
            return _missing(error["loc"])
        case "extra_forbidden":
            return _unknown(error["loc"], error["input"])
        case "too_short":
            return Fault("is empty", f"such as: {_sample(str(error['loc'][-1]))}")
        case kind:
            return _wrong_type(kind, error)


def _missing(location: tuple[int | str, ...]) -> Fault:
    if location == (TABLE,):
        return Fault("the table is missing", f"put the line [{TABLE}] above the fields")
    return Fault("is missing", f"add a line such as: {_sample(str(location[-1]))}")


def _unknown(location: tuple[int | str, ...], value: Any) -> Fault:
    name = str(location[-1])
    if len(location) > 1:
        return Fault("is not a field of a definition", suggestion(name, FIELDS))
    if name in FIELDS:
        return Fault(f"stands outside the table [{TABLE}]", f"move it below the line [{TABLE}]")
    kind = "table" if isinstance(value, dict) else "field"
    return Fault(f"is an unknown {kind}; a definition has one table", suggestion(name, [TABLE]))


def _wrong_type(kind: str, error: ErrorDetails) -> Fault:
    value, wanted = error["input"], _WANTED.get(kind, error["msg"])
    repair = f"write {wanted}"
    if kind == "string_type" and isinstance(value, int | float) and not isinstance(value, bool):
        repair = f'put it in quotes: "{value}"'
    elif kind == "list_type" and isinstance(value, str):
        repair = "put it in brackets: [ ... ]"
    return Fault(f"is {type_name(value)}, must be {wanted}", repair)


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
