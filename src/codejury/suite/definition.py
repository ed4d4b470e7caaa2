"""The format of a `definition.toml` as pydantic sees it: the border between a file and a TestCase.

Everything that can be said about one value stands here; the descriptions are also what editors show, what
the scaffold writes as comments, and what the JSON Schema holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from ..records import Level, TaskKind
from .rules import (
    CRITERION,
    FILLED_IN,
    IDENTIFIER,
    JULIA_VERSION,
    KIND,
    LEVEL,
    MODULE,
    NOT_EMPTY,
    TESTS_SOMETHING,
    WHOLE,
    Rule,
    leniently,
)

TABLE: Final = "code_generation"
"""The only table of the file."""

FAULT: Final = "codejury_fault"
"""The pydantic error type of our own rules; its context holds the Fault."""

MEASURED: Final = "performance"
JUDGED_WITHOUT: Final = frozenset({"contributor", "version", "reference_solution", "level", "kind"})
"""Texts that no verdict depends on: whatever is wrong with them is a warning."""


@dataclass(frozen=True, slots=True)
class Obeys:
    """An annotation for strings: the rules in order, the first fault counts."""

    rules: tuple[Rule, ...]

    def check(self, text: str) -> str:
        for rule in self.rules:
            if fault := rule.look_at(text):
                raise PydanticCustomError(FAULT, "{what} ({repair})", fault._asdict())
        return text

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self.check, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        described = handler(schema)
        for rule in self.rules:
            described.update(rule.schema)  # a later rule implies an earlier one of the same keyword
        return described


Identifier = Annotated[str, Obeys((FILLED_IN, NOT_EMPTY, IDENTIFIER))]
Text = Annotated[str, Obeys((WHOLE, leniently(FILLED_IN), leniently(NOT_EMPTY)))]
Task = Annotated[str, Obeys((WHOLE, leniently(FILLED_IN), NOT_EMPTY))]
Code = Annotated[str, Obeys((WHOLE, FILLED_IN, leniently(NOT_EMPTY)))]
OptionalCode = Annotated[str, Obeys((WHOLE, FILLED_IN))]
UnitTest = Annotated[str, Obeys((WHOLE, FILLED_IN, leniently(NOT_EMPTY), leniently(TESTS_SOMETHING)))]
CriterionName = Annotated[str, Obeys((CRITERION,))]
LevelName = Annotated[str, Obeys((leniently(LEVEL),))]
KindName = Annotated[str, Obeys((leniently(KIND),))]
JuliaVersion = Annotated[str, Obeys((JULIA_VERSION,))]
Module = Annotated[str, Obeys((FILLED_IN, NOT_EMPTY, MODULE))]

_EACH_ONCE: Final[dict[str, Any]] = {"uniqueItems": True}


class StatementTable(BaseModel):
    """A table of the array `performance`."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    setup: OptionalCode = Field(
        default="",
        description="Julia code that makes the variables of the statement. It runs before each time, and is "
        "not measured.",
        examples=['text = repeat("Julia", 2_000)'],
    )
    statement: Task = Field(
        description="Julia code that is measured: at least 20 microseconds of work, and what it returns and "
        "leaves in the variables has to be the same for every right answer.",
        examples=["count_vowels(text)"],
    )


class DefinitionTable(BaseModel):
    """The table `[code_generation]`."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    name: Identifier = Field(
        description="What an answer has to define: a function, a type or a constant. "
        "A Julia identifier, and the name of this file's folder.",
        examples=["count_vowels"],
    )
    contributor: Text = Field(
        description="Who wrote this test case, such as a GitHub name.",
        examples=["ada"],
    )
    criteria: list[CriterionName] = Field(
        description="What an answer is scored on. The 100 points are shared equally among them.",
        examples=[["parsed", "executed", "passed_unit_tests", "executed_examples"]],
        min_length=1,
        json_schema_extra=_EACH_ONCE,
    )
    prompt: Task = Field(
        description="The task as a model reads it. It has to mention the name, which the tests call.",
        examples=["Write a function `count_vowels` that counts the vowels of a string."],
    )
    version: Text = Field(
        description="The version of this test case, a string. Raise it when a change can move a score.",
        examples=["1.0"],
    )
    examples: list[Code] = Field(
        description="Julia code that has to run without an exception; its result is not looked at.",
        examples=[['count_vowels("Julia")']],
        json_schema_extra=_EACH_ONCE,
    )
    unit_tests: list[UnitTest] = Field(
        description="Julia code that checks the answer, each with @test, @test_throws, @assert or the like. "
        "They run in order, after the examples, in one module that keeps its state.",
        examples=[['@test count_vowels("Julia") == 3']],
        json_schema_extra=_EACH_ONCE,
    )
    imports: list[Module] = Field(
        description='Packages and modules loaded before the answer, such as "Dates"; [] for none.',
        examples=[[]],
        json_schema_extra=_EACH_ONCE,
    )
    reference_solution: Text = Field(
        description="Julia code that solves the task. It has to pass every example and every unit test. "
        "No model gets to see it.",
        examples=['count_vowels(text) = count(in("aeiouAEIOU"), text)'],
    )
    examples_setup: OptionalCode = Field(
        default="",
        description="Julia code put before each example.",
        examples=['text = "Julia"'],
    )
    examples_teardown: OptionalCode = Field(
        default="",
        description="Julia code put after each example.",
        examples=['rm("scratch.txt"; force = true)'],
    )
    unit_tests_setup: OptionalCode = Field(
        default="",
        description="Julia code put before each unit test.",
        examples=['text = "Julia"'],
    )
    unit_tests_teardown: OptionalCode = Field(
        default="",
        description="Julia code put after each unit test.",
        examples=['rm("scratch.txt"; force = true)'],
    )
    given: OptionalCode = Field(
        default="",
        description="Julia code that exists already. A model is shown it; it runs before the answer, in the "
        "same module, and the answer may replace its functions.",
        examples=['const VOWELS = "aeiouAEIOU"'],
    )
    level: LevelName = Field(
        default=Level.CORE.value,
        description="How hard the task is: basic, core or hard.",
        examples=["core"],
    )
    kind: KindName = Field(
        default=TaskKind.WRITE.value,
        description="What the task asks for: write, fix, extend, translate, speed or test.",
        examples=["write"],
    )
    julia: JuliaVersion = Field(
        default="",
        description="The least version of Julia that can judge an answer, where the oldest will not do.",
        examples=["1.9"],
    )
    performance: list[StatementTable] = Field(
        default=[],
        description="Statements to measure, in an answer that passes all unit tests and in the reference "
        "solution, each with a setup of its own. It changes no points.",
        examples=[[{"setup": 'text = repeat("Julia", 2_000)', "statement": "count_vowels(text)"}]],
    )


class DefinitionFile(BaseModel):
    """A whole `definition.toml`."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    code_generation: DefinitionTable


FIELDS: Final = tuple(DefinitionTable.model_fields)
"""All fields of the table, in the order of the format."""
