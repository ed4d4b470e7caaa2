"""Repair rounds: what the judge found, told to the model that wrote the code.

load_repair_template   the words around it, a data file
feedback               Evaluation -> text

A model may learn what its own code did, and nothing about the unit tests. Of a unit test it hears whether it
passed, and the type of an error; the error's message only where it holds no word of the tests that the
conversation does not hold already. Output is shown from a run without the unit tests: code can print
what it is compared with.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final, Protocol

from ..records import Block, BlockKind, Ending, Evaluation, Execution, TestCase

TEMPLATES: Final = Path(__file__).parent / "repairs"
DEFAULT_LABEL: Final = "CodeFixerTiny"
PLACEHOLDER: Final = "{{feedback}}"

MOST_MESSAGE: Final = 400
MOST_OUTPUT: Final = 1000
MOST_ERRORS: Final = 3
"""Different errors that are told; a model that gets a hundred reads none."""

_WORD: Final = re.compile(r"\w+")
_ENDINGS: Final = {
    Ending.TIMED_OUT: "did not end in time",
    Ending.OUT_OF_MEMORY: "used too much memory",
    Ending.OUTPUT_FLOOD: "printed too much",
    Ending.DIED: "ended the process",
}


class Evaluates(Protocol):
    """The part of a Judge that a run needs; called from several threads at once."""

    def evaluate(self, answer: str, test_case: TestCase) -> Evaluation: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairTemplate:
    """A user's message with a blank for the feedback."""

    label: str
    user: str
    version: str

    @property
    def hash(self) -> str:
        return hashlib.sha256(json.dumps(self.user).encode()).hexdigest()

    def fill_in(self, text: str) -> str:
        return self.user.replace(PLACEHOLDER, text)


@cache
def load_repair_template(label: str = DEFAULT_LABEL) -> RepairTemplate:
    table = tomllib.loads((TEMPLATES / f"{label}.toml").read_text(encoding="utf-8"))
    return RepairTemplate(label=label, user=table["user"].strip(), version=table["version"])


def feedback(evaluation: Evaluation, test_case: TestCase, known: str, *, printed: str = "") -> str:
    """What a model is told about its answer. `known` is the conversation so far."""
    execution = evaluation.execution
    if execution is None:
        return "It could not be run."
    main = execution.of_kind(BlockKind.MAIN)[0]
    if not execution.executed:
        parts = [_main_failure(main, execution)]
    else:
        parts = [*_examples(execution), *_unit_tests(execution, test_case, known)]
        if execution.tampering:
            parts.append("It interferes with the way it is tested, so no test counts.")
    if printed.strip():
        parts.append(f"It printed:\n\n{_tail(printed)}")
    return "\n\n".join(parts)


def output_without_tests(answer: str, evaluation: Evaluation, test_case: TestCase, judge: Evaluates) -> str:
    """What the code prints without any test. Costs a second run only where something was printed."""
    execution = evaluation.execution
    if execution is None or not execution.stdout.strip():
        return ""
    if not execution.executed:
        return execution.stdout  # no test has run
    untested = replace(test_case, unit_tests=(), unit_tests_setup="", unit_tests_teardown="")
    again = judge.evaluate(answer, untested).execution
    return again.stdout if again else ""


def _main_failure(main: Block, execution: Execution) -> str:
    what = "It does not parse" if not execution.parsed else "It fails when it is loaded"
    lines = execution.extraction.code.split("\n")
    where = ""
    if main.line and main.line <= len(lines):
        where = f", at line {main.line}:\n\n    {lines[main.line - 1].strip()}\n\n"
    return f"{what}{where or ': '}{_error(main)}"


def _error(block: Block) -> str:
    """`BoundsError: attempt to access ...`, or how it ended otherwise."""
    if block.ending in _ENDINGS:
        return f"it {_ENDINGS[block.ending]}"
    said = ": ".join(part for part in (block.error_type, _short(block.message)) if part)
    return said or "it failed"


def _examples(execution: Execution) -> Iterator[str]:
    blocks = execution.of_kind(BlockKind.EXAMPLE)
    failed = [block for block in blocks if not block.passed]
    if failed:
        yield _counted("example call", len(blocks), failed, [_error(block) for block in failed])


def _unit_tests(execution: Execution, test_case: TestCase, known: str) -> Iterator[str]:
    blocks = execution.of_kind(BlockKind.UNIT_TEST)
    failed = [block for block in blocks if not block.passed]
    if failed:
        errors = [_test_error(block, test_case, known) for block in failed]
        yield _counted("unit test", len(blocks), failed, errors)


def _counted(kind: str, listed: int, failed: list[Block], errors: list[str]) -> str:
    """`2 of 5 unit tests do not pass:` and the different reasons."""
    different = list(dict.fromkeys(errors))
    lines = [f"- {error}" for error in different[:MOST_ERRORS]]
    more = len(different) - MOST_ERRORS
    lines += [f"- and {more} other errors"] if more > 0 else []
    verb = "does" if len(failed) == 1 else "do"
    return f"{len(failed)} of {listed} {kind}s {verb} not pass:\n" + "\n".join(lines)


def _test_error(block: Block, test_case: TestCase, known: str) -> str:
    if block.ending is Ending.FAILED:
        return "a wrong result"  # the judge's message shows what was expected
    if block.ending is not Ending.ERRORED or _reveals(block.message, test_case, known):
        return _error(replace(block, message=""))
    return _error(block)


def _reveals(message: str, test_case: TestCase, known: str) -> bool:
    """Whether a message holds a word of the unit tests that the model has not seen yet."""
    tests = "\n".join((test_case.unit_tests_setup, *test_case.unit_tests, test_case.unit_tests_teardown))
    secret = set(_WORD.findall(tests)) - set(_WORD.findall(known))
    return not secret.isdisjoint(_WORD.findall(message))


def _short(message: str) -> str:
    line = " ".join(message.split())
    return line if len(line) <= MOST_MESSAGE else f"{line[: MOST_MESSAGE - 1]}…"


def _tail(text: str) -> str:
    kept = text.rstrip()[-MOST_OUTPUT:]
    lines = kept if len(kept) == len(text.rstrip()) else f"…{kept}"
    return "\n".join(f"    {line}" for line in lines.split("\n"))
