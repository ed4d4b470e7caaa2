"""Real candidates to measure with: a folder of published answers, or answers made from the bundled suite."""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codejury.judge.extract.snippets import find_snippets
from codejury.records import Job, TestCase
from codejury.suite.load import load_definition
from codejury.suite.suite import bundled_suite, find_definitions

ANSWERS = "answers.jsonl.gz"


@dataclass(frozen=True)
class Candidate:
    """One answer to one test case."""

    test_case: TestCase
    answer: str

    @property
    def job(self) -> Job:
        return Job(test_case=self.test_case, snippets=find_snippets(self.answer))


def answers_folder(name: str) -> Path:
    """The folder of published answers, named by itself or by the file in it; for argparse."""
    folder = Path(name).parent if Path(name).is_file() else Path(name)
    if not (folder / ANSWERS).is_file():
        raise argparse.ArgumentTypeError(f"{name}: there is no {ANSWERS}")
    return folder


def read_answers(folder: Path) -> Iterator[dict[str, Any]]:
    """The lines of `answers.jsonl.gz`: `test_case`, `answer` and whatever else they hold."""
    with gzip.open(folder / ANSWERS, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def load_candidates(folder: Path | None, count: int, *, seed: int = 1) -> list[Candidate]:
    """A seeded choice from a folder of published answers, or `count` answers to the bundled suite.

    Test cases that import anything beyond the standard library are left out: they would be void.
    """
    root = folder / "code_generation" if folder else bundled_suite()
    cases = {case.name: case for case in map(load_definition, find_definitions(root))}
    candidates = _published(folder, cases) if folder else _made(cases)
    random.Random(seed).shuffle(candidates)
    return (candidates * (count // len(candidates) + 1))[:count]


def _published(folder: Path, cases: dict[str, TestCase]) -> list[Candidate]:
    known = {name for name, case in cases.items() if "DataFrames" not in case.imports}
    lines = [line for line in read_answers(folder) if line["test_case"] in known]
    return [Candidate(cases[line["test_case"]], line["answer"]) for line in lines]


def _made(cases: dict[str, TestCase]) -> list[Candidate]:
    """A right answer, a wrong one, one that fails at once and one that does not parse, for every case."""
    made = []
    for case in cases.values():
        codes = (
            case.reference_solution,
            f"{case.name}(args...) = 0",
            "undefined_name(1)",
            f"function {case.name}(x",
        )
        made += [Candidate(case, f"Here it is:\n\n```julia\n{code}\n```\n") for code in codes]
    return made
