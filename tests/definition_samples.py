"""A good definition to spoil, and a stand-in for the judge, shared by the tests of definitions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import tomlkit

from codejury.judge.judge import Judge
from codejury.records import Block, BlockKind, Ending, Execution, Extraction, TestCase
from codejury.testing import FakeSandbox

GOOD: dict[str, Any] = {
    "name": "count_vowels",
    "contributor": "ada",
    "criteria": ["parsed", "executed", "passed_unit_tests", "executed_examples"],
    "prompt": "Write a function `count_vowels` that counts the vowels of a string.",
    "version": "1.0",
    "examples": ['count_vowels("Julia")', 'count_vowels("")'],
    "unit_tests": ['@test count_vowels("Julia") == 3', '@test count_vowels("") == 0'],
    "imports": [],
    "reference_solution": 'count_vowels(text) = count(in("aeiouAEIOU"), text)\n',
}


def table(without: str = "", **changes: Any) -> dict[str, Any]:
    """The good table with some fields changed and one left out."""
    return {field: value for field, value in (GOOD | changes).items() if field != without}


def write(root: Path, without: str = "", **changes: Any) -> Path:
    """A definition file with these changes, in a folder with the right name."""
    return write_text(root, tomlkit.dumps({"code_generation": table(without, **changes)}))


def write_text(root: Path, text: str | bytes, name: str = "count_vowels") -> Path:
    path = root / "text_processing" / name / "definition.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def run_of(test_case: TestCase, *failures: Block, **facts: Any) -> Execution:
    """A run in which every block passed but these."""
    listed = [(BlockKind.MAIN, 0)]
    listed += [(BlockKind.EXAMPLE, index) for index in range(len(test_case.examples))]
    listed += [(BlockKind.UNIT_TEST, index) for index in range(len(test_case.unit_tests))]
    failed = {(block.kind, block.index): block for block in failures}
    passed = {key: Block(kind=key[0], index=key[1], ending=Ending.PASSED) for key in listed}
    defaults: dict[str, Any] = {
        "parsed": True,
        "executed": True,
        "blocks": tuple((passed | failed).values()),
        "extraction": Extraction(rule="all", blocks_found=1, blocks_used=(0,)),
        "julia_version": "1.5.3",
        "sandbox": "stand-in",
    }
    return Execution(**(defaults | facts))


class StandInJudge(Judge):
    """Answers as it is told, counts what it is asked, and knows whether it was closed."""

    def __init__(self, answer: Callable[[TestCase], Execution] = run_of) -> None:
        super().__init__(workers=2, sandbox_factory=lambda: FakeSandbox(lambda job: run_of(job.test_case)))
        self.answer = answer
        self.asked: list[tuple[str, str]] = []
        self.closed = False

    @property
    def level(self) -> str:
        return "stand-in"

    def execute_code(
        self, code: str, test_case: TestCase, seconds: float | None = None, *, measure: bool = False
    ) -> Execution:
        with self._lock:
            self.asked.append((test_case.name, code))
        return self.answer(test_case)

    def close(self) -> None:
        super().close()
        self.closed = True
