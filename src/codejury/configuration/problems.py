"""What is wrong with a `codejury.toml`: field, fault and repair, for a person.

cross_problems   what no single field shows
problem_of       what pydantic found, in our words

A value is quoted only where it cannot be a key that was pasted into the wrong place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Final

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from ..errors import Problem
from .tables import Document, ModelTable, ParametersTable, PriceTable, RunTable

RESERVED: Final = frozenset({"model", "messages", "stream", "n", "extra"})

_TABLES: Final[Mapping[tuple[str, ...], type[BaseModel]]] = {
    (): Document,
    ("run",): RunTable,
    ("models", "*"): ModelTable,
    ("models", "*", "price"): PriceTable,
    ("models", "*", "parameters"): ParametersTable,
}


def cross_problems(raw: Mapping[str, Any]) -> Iterator[Problem]:
    run = _mapping(raw.get("run"))
    if "rounds" in run and run.get("strategy") != "repair":
        yield _wrong(("run", "rounds"), "needs repair rounds to count", 'add strategy = "repair"')
    for name, table in _mapping(raw.get("models")).items():
        yield from _model_problems(name, _mapping(table))


def _model_problems(name: str, table: Mapping[str, Any]) -> Iterator[Problem]:
    where = ("models", name)
    if table.get("provider") and table.get("base_url"):
        yield _wrong((*where, "base_url"), "stands beside a provider", "keep one of the two")
    if not table.get("provider") and not table.get("base_url") and "/" not in name:
        yield _wrong(where, "nobody answers for it", 'add provider = "..." or base_url = "http..."')
    reserved = sorted(RESERVED & _mapping(table.get("parameters")).keys())
    for key in reserved:
        yield _wrong((*where, "parameters", key), "is set by Codejury itself", "take it out")


def problem_of(error: ErrorDetails, raw: Mapping[str, Any]) -> Problem:
    location = error["loc"]
    if location and isinstance(location[-1], int) and not isinstance(_value_at(raw, location[:-1]), list):
        location = location[:-1]  # a single value that stands for a list of one
    if error["type"] == "extra_forbidden":
        return _wrong(location, "is not a field of this table", _known_fields(location))
    if error["type"] == "missing":
        return _wrong(location, "is missing", _example(location))
    return _wrong(location, _complaint(error), _example(location))


def _complaint(error: ErrorDetails) -> str:
    message = error["msg"].replace("Input should be", "should be")
    # A value is quoted only where it cannot be a key that was pasted into the wrong place.
    shown = error["input"]
    return f"{message}, not {shown!r}" if isinstance(shown, bool | int | float) else message


def _known_fields(location: tuple[int | str, ...]) -> str:
    name = str(location[-1])
    table = _TABLES.get(_pattern(location[:-1]))
    known = list(table.model_fields) if table else []
    if close := get_close_matches(name, known, n=1):
        return f"did you mean `{close[0]}`?"
    if re.search("key|token|secret|password", name):
        return "a key stays out of this file: name the variable that holds it, key_variable"
    return f"known: {', '.join(known)}"


def _example(location: tuple[int | str, ...]) -> str:
    names = [part for part in location if isinstance(part, str)]
    table = _TABLES.get(_pattern(tuple(names[:-1])))
    info = table.model_fields.get(names[-1]) if table else None
    if info is None or not info.examples:
        return "make it a table"
    return f"for example {names[-1]} = {_toml(info.examples[0])}"


def _pattern(location: tuple[int | str, ...]) -> tuple[str, ...]:
    """Where a table is, whatever a model is called: ("models", "mine") -> ("models", "*")."""
    names = [part for part in location if isinstance(part, str)]
    return ("models", "*", *names[2:]) if names[:1] == ["models"] and len(names) > 1 else tuple(names)


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + " }"
    return json.dumps(value)  # numbers, texts and lists look the same in both


def _wrong(location: tuple[int | str, ...], what: str, repair: str) -> Problem:
    return Problem(file=None, field=_field(location), what=what, repair=repair)


def _field(location: tuple[int | str, ...]) -> str:
    """The way to a field, as TOML would write it.

    ("models", "my llama", "price") -> models."my llama".price      ("run", "case", 1) -> run.case[1]
    """
    name = ""
    for part in location:
        if isinstance(part, int):
            name += f"[{part}]"
        else:
            bare = re.fullmatch(r"[A-Za-z0-9_-]+", part)
            name += ("." if name else "") + (part if bare else json.dumps(part, ensure_ascii=False))
    return name or "file"


def _value_at(raw: Any, location: Sequence[int | str]) -> Any:
    for part in location:
        raw = raw.get(part) if isinstance(raw, dict) else None
    return raw


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
