"""The JSON Schema of the format, made from the model: what editors complete and check a definition with.

Draft 7 without references: the draft and the form that TOML editors handle best. `python -m
codejury.suite` writes it to the file that is shipped.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from ..records import CRITERION_ALIASES, Criterion
from .toml_file import write_atomically

SCHEMA_FILE: Final = Path(__file__).with_name("definition.schema.json")

MEASURED_BY: Final = {Criterion.UNIT_TESTS: "unit_tests", Criterion.EXAMPLES: "examples"}
"""The list that a criterion counts; the other criteria need none."""


def spellings(criterion: Criterion) -> list[str]:
    """All names of one criterion: UNIT_TESTS -> passed_unit_tests, unit_tests."""
    return [name for name, meant in CRITERION_ALIASES.items() if meant is criterion]


def json_schema() -> dict[str, Any]:
    """The schema of a whole file."""
    from .definition import TABLE

    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$comment": "Made by `python -m codejury.suite`; change the code, not this file.",
        "title": "Codejury definition",
        "description": "A test case of Codejury: a task for language models, and how an answer is judged.",
        "type": "object",
        "properties": {TABLE: _table_schema()},
        "required": [TABLE],
        "additionalProperties": False,
    }


def _table_schema() -> dict[str, Any]:
    from .definition import MEASURED, DefinitionTable

    table = DefinitionTable.model_json_schema()
    (statement,) = table.pop("$defs").values()  # put where it belongs: here a reference would lead nowhere
    table["properties"][MEASURED]["items"] = statement
    properties = (*table["properties"].values(), *statement["properties"].values())
    for described in (table, statement, *properties):
        del described["title"]  # pydantic's "Unit Tests" says less than `unit_tests`
    table["properties"]["criteria"]["allOf"] = [_spelt_once(criterion) for criterion in Criterion]
    table["allOf"] = [_measurable(criterion, field) for criterion, field in MEASURED_BY.items()]
    table["allOf"].append(_given_where_needed())
    return table


def _spelt_once(criterion: Criterion) -> dict[str, Any]:
    both = [{"contains": {"const": spelling}} for spelling in spellings(criterion)]
    return {"not": {"type": "array", "allOf": both}}  # of the wrong type, it has one fault and not five


def _measurable(criterion: Criterion, field: str) -> dict[str, Any]:
    named = {"properties": {"criteria": {"contains": {"enum": spellings(criterion)}}}}
    return {"if": named, "then": {"properties": {field: {"minItems": 1}}}}


def _given_where_needed() -> dict[str, Any]:
    from .check import NEEDS_GIVEN

    working = {"properties": {"kind": {"enum": [kind.value for kind in NEEDS_GIVEN]}}, "required": ["kind"]}
    return {"if": working, "then": {"properties": {"given": {"minLength": 1}}, "required": ["given"]}}


def schema_text() -> str:
    """The schema as it stands in a file."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"


def write_schema(path: Path = SCHEMA_FILE) -> None:
    """Bring the file up to date; one that is current is not touched."""
    text = schema_text()
    if not path.is_file() or path.read_bytes() != text.encode():
        write_atomically(path, text)
