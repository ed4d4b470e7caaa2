"""What an evaluation claims: the facts that two verdicts on one answer are compared by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from ..records import Evaluation, Outcome
from ..store import EvaluationDict

_TOLERANCE: Final = 1e-6
"""Points: below it two scores are the same number, written or added up another way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A verdict, and by what it was judged."""

    parsed: bool
    executed: bool
    unit_tests_passed: int
    unit_tests_count: int
    examples_executed: int
    examples_count: int
    score: float | None
    outcome: str
    """`pass`, `fail` or `void`."""
    julia_version: str = ""
    rules_version: int | None = None
    definition_hash: str = ""

    def same_verdict(self, other: Claim) -> bool:
        """Whether all that was found about the answer is the same."""
        counts = ("parsed", "executed", "unit_tests_passed", "examples_executed")
        equal = all(getattr(self, name) == getattr(other, name) for name in counts)
        return equal and same_score(self.score, other.score)

    @property
    def as_row(self) -> Mapping[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        """`parsed, executed, 3 of 5 unit tests, 4 of 4 examples, 90 points`."""
        points = "void" if self.score is None else f"{self.score:.6g} points"
        return ", ".join([
            "parsed" if self.parsed else "not parsed",
            "executed" if self.executed else "not executed",
            f"{self.unit_tests_passed} of {self.unit_tests_count} unit tests",
            f"{self.examples_executed} of {self.examples_count} examples",
            points,
        ])  # fmt: skip


def same_score(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) < _TOLERANCE


def claim_of(evaluation: Evaluation) -> Claim:
    """What a verdict of the judge says."""
    return Claim(
        parsed=evaluation.parsed,
        executed=evaluation.executed,
        unit_tests_passed=evaluation.unit_tests_passed,
        unit_tests_count=evaluation.unit_tests_count,
        examples_executed=evaluation.examples_executed,
        examples_count=evaluation.examples_count,
        score=evaluation.score,
        outcome=evaluation.outcome.value,
        julia_version=evaluation.execution.julia_version if evaluation.execution else "",
        rules_version=evaluation.rules_version,
        definition_hash=evaluation.definition_hash,
    )


def stored_claim(stored: EvaluationDict) -> Claim:
    """What a stored evaluation says; the predecessor's gets the score and the outcome it stands for."""
    ours = "codejury_schema" in stored
    return Claim(
        parsed=stored["parsed"],
        executed=stored["executed"],
        unit_tests_passed=stored["unit_tests_passed"],
        unit_tests_count=stored["unit_tests_count"],
        examples_executed=stored["examples_executed"],
        examples_count=stored["examples_count"],
        score=stored["score"] if ours else published_score(stored),
        outcome=stored["outcome"] if ours else _published_outcome(stored),
        julia_version=stored["julia_version"] if ours else "",
        rules_version=stored["rules_version"] if ours else None,
        definition_hash=stored["definition_hash"] if ours else "",
    )


def published_score(stored: EvaluationDict) -> float:
    """The score of the predecessor's boards: a quarter for each criterion, whatever the definition names."""
    tests = _share(stored["unit_tests_passed"], stored["unit_tests_count"])
    examples = _share(stored["examples_executed"], stored["examples_count"])
    return 25.0 * (stored["parsed"] + stored["executed"] + tests + examples)


def _published_outcome(stored: EvaluationDict) -> str:
    listed, passed = stored["unit_tests_count"], stored["unit_tests_passed"]
    return Outcome.PASS.value if stored["executed"] and passed == listed else Outcome.FAIL.value


def _share(earned: int, listed: int) -> float:
    return earned / listed if listed else 0.0
