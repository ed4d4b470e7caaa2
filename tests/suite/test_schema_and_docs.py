"""Schema, docs and code say the same about the format."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codejury.records import CRITERION_ALIASES, TestCase
from codejury.suite.check import check_definition, problems_in
from codejury.suite.definition import FIELDS
from codejury.suite.load import load_definition
from codejury.suite.schema import SCHEMA_FILE, json_schema, schema_text, write_schema
from codejury.suite.suite import find_definitions
from codejury.suite.validate import validate_definition
from definition_samples import GOOD, StandInJudge, table, write_text

DOCS = Path(__file__).parents[2] / "docs" / "definition-format.md"
VALIDATOR = jsonschema.Draft7Validator(json_schema())


def accepted_by_schema(document: dict[str, Any]) -> bool:
    return bool(VALIDATOR.is_valid(document))


def accepted_by_loader(document: dict[str, Any]) -> bool:
    return problems_in(document, None) == []


# The schema


def test_the_shipped_schema_is_current() -> None:
    assert SCHEMA_FILE.read_text(encoding="utf-8") == schema_text(), "run: python -m codejury.suite"


def test_the_schema_is_a_good_draft_7_schema() -> None:
    jsonschema.Draft7Validator.check_schema(json_schema())


def test_a_stale_schema_is_renewed_and_a_current_one_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "schema.json"
    write_schema(path)
    first = path.stat()
    write_schema(path)
    assert path.stat().st_ino == first.st_ino
    path.write_text("{}")
    write_schema(path)
    assert json.loads(path.read_text()) == json_schema()


def test_the_schema_accepts_every_bundled_definition() -> None:
    for file in find_definitions():
        VALIDATOR.validate(tomllib.loads(file.read_text(encoding="utf-8")))


BROKEN: list[tuple[str, dict[str, Any]]] = [
    *((f"{field} missing", {"code_generation": table(without=field)}) for field in GOOD),
    *(
        (name, {"code_generation": table(**change)})
        for name, change in {
            "unknown field": {"promt": "?"},
            "empty text": {"contributor": " "},
            "wrong type": {"version": 1.0},
            "string for list": {"imports": "Dates"},
            "wrong element": {"examples": ["f()", 1]},
            "empty element": {"examples": [" "]},
            "bad name": {"name": "2fast"},
            "bad import": {"imports": ["using Dates"]},
            "no test": {"unit_tests": ["f() == 1"]},
            "blank": {"reference_solution": "f() = <FILL IN: result>"},
            "optional of wrong type": {"examples_setup": 1},
            "no criteria": {"criteria": []},
            "unknown criterion": {"criteria": ["parsd"]},
            "criterion twice": {"criteria": ["parsed", "parsed"]},
            "criterion in both spellings": {"criteria": ["parsed", "parsing"]},
            "unit tests not there": {"criteria": ["unit_tests"], "unit_tests": []},
            "examples not there": {"criteria": ["executed_examples"], "examples": []},
            "twins": {"unit_tests": ["@test a", "@test a"]},
            "no array of statements": {"performance": "f()"},
            "a statement that is no table": {"performance": ["f()"]},
            "a set-up without a statement": {"performance": [{"setup": "x = 1"}]},
            "an empty statement": {"performance": [{"statement": " "}]},
            "a blank in a set-up": {"performance": [{"statement": "f()", "setup": "<FILL IN: x>"}]},
            "an unknown field of a statement": {"performance": [{"statement": "f()", "set_up": ""}]},
        }.items()
    ),
    ("no table", {}),
    ("another table", {"code_generation": GOOD, "other": {}}),
    ("no table but a number", {"code_generation": 1}),
]


@pytest.mark.parametrize("document", [pytest.param(document, id=name) for name, document in BROKEN])
def test_schema_and_loader_refuse_the_same_faults(document: dict[str, Any]) -> None:
    assert not accepted_by_schema(document)
    assert not accepted_by_loader(document)


@pytest.mark.parametrize("field", GOOD)
def test_an_editor_shows_a_value_of_the_wrong_type_as_one_fault(field: str) -> None:
    (error,) = VALIDATOR.iter_errors({"code_generation": table(**{field: 1})})
    assert error.validator == "type"


def test_schema_and_loader_accept_the_same_good_ones() -> None:
    for change in (
        {},
        {"name": "größe!", "prompt": "Write größe!"},
        {"imports": ["Base.Threads"]},
        {"criteria": ["parsing"], "unit_tests": [], "examples": []},
        {"criteria": ["unit_tests", "execution"], "examples": []},
        {"examples_setup": "", "unit_tests_teardown": "x"},
        {"performance": []},
        {"performance": [{"statement": "f()"}, {"setup": "x = 1", "statement": "f(x)"}]},
    ):
        document = {"code_generation": table(**change)}
        assert accepted_by_schema(document)
        assert accepted_by_loader(document)


# Things TOML can hold, most of them wrong in most places.
VALUES: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from(
        ["", " ", "count_vowels", "größe", "a!", "@test f()", "Base.Threads", "<FILL IN: x>", "a\n"]
    ),
    st.text(max_size=5),
    st.integers(),
    st.booleans(),
    st.lists(st.sampled_from([*CRITERION_ALIASES, "Dates", "@test f()", "@test g()", ""]), max_size=3),
)


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(st.dictionaries(st.sampled_from([*FIELDS, "extra"]), VALUES, max_size=3))
def test_what_the_loader_accepts_the_schema_accepts(changes: dict[str, Any]) -> None:
    document = {"code_generation": table(**changes)}
    assert accepted_by_schema(document) or not accepted_by_loader(document)


def test_the_fields_of_the_format_are_those_of_a_test_case() -> None:
    assert set(FIELDS) == {field.name for field in fields(TestCase)} - {"path"}
    assert set(FIELDS) == set(json_schema()["properties"]["code_generation"]["properties"])


def test_every_field_is_described_for_editors() -> None:
    for name, field in json_schema()["properties"]["code_generation"]["properties"].items():
        assert field["description"].endswith("."), name


# The docs


def documented() -> Iterator[tuple[str, str]]:
    """Each field that has a heading of its own in the docs, with the text below it."""
    sections = re.split(r"^#+ ", DOCS.read_text(encoding="utf-8"), flags=re.MULTILINE)
    for section in sections:
        heading, _, body = section.partition("\n")
        if found := re.fullmatch(r"`(\w+)`", heading.strip()):
            yield found[1], body


def test_every_field_is_documented_once_and_nothing_else_is() -> None:
    assert sorted(name for name, _ in documented()) == sorted(FIELDS)


def test_the_docs_say_right_which_fields_are_required_and_of_which_type() -> None:
    schema = json_schema()["properties"]["code_generation"]
    for name, body in documented():
        described = schema["properties"][name]
        kind = "String" if described["type"] == "string" else f"Array of {described['items']['type']}s"
        kind = kind.replace("objects", "tables")
        need = "required" if name in schema["required"] else "optional"
        assert body.strip().startswith(f"{kind}, {need}"), name


def test_the_docs_name_every_spelling_of_every_criterion() -> None:
    body = dict(documented())["criteria"]
    for spelling, criterion in CRITERION_ALIASES.items():
        row = next(line for line in body.splitlines() if line.startswith(f"| `{criterion.value}`"))
        assert f"`{spelling}`" in row


def example_of_the_docs(root: Path) -> Path:
    text = DOCS.read_text(encoding="utf-8")
    example, measured = re.findall(r"^```toml\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    return write_text(root, f"{example}\n{measured}")


def test_the_example_of_the_docs_is_a_good_definition(tmp_path: Path) -> None:
    path = example_of_the_docs(tmp_path)
    assert check_definition(path) == []
    VALIDATOR.validate(tomllib.loads(path.read_text(encoding="utf-8")))
    assert validate_definition(path, judge=StandInJudge()).valid
    assert (
        f"`code_generation/{load_definition(path).category}/{load_definition(path).name}/" in DOCS.read_text()
    )
