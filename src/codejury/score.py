"""From facts to points. Pure: no files, no processes, no clock.

Execution -> assess() -> Evaluation -> score_evaluation() -> 0 to 100, or None where nothing was learned
                                    -> evaluation_to_dict() -> the verdict as plain JSON values
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, replace
from typing import Any, Final, TypedDict

from . import __version__
from .errors import InputError
from .records import BlockKind, Criterion, Evaluation, Execution, Outcome, TestCase

STDOUT_TAIL: Final = 4000
"""Characters of the candidate's output that a verdict shows, from the end."""


class VerdictDict(TypedDict):
    """The verdict as JSON: a line of bulk judging, or `codejury evaluate --json`."""

    name: str
    parsed: bool
    executed: bool
    unit_tests_count: int
    examples_count: int
    unit_tests_passed: int
    examples_executed: int
    score: float | None  # None: void
    passed: bool
    outcome: str
    void_reason: str
    extraction: dict[str, Any] | None  # the fields of records.Extraction; None where nothing ran
    blocks: list[dict[str, Any]]  # the fields of records.Block
    tampering: list[str]
    missing_packages: list[str]
    notes: list[str]
    stdout_tail: str
    julia_version: str
    sandbox: str
    rules_version: int
    codejury_version: str
    definition_hash: str


VERDICT_FIELDS: Final = tuple(VerdictDict.__annotations__)


def assess(execution: Execution, test_case: TestCase) -> Evaluation:
    """Judge what happened when a candidate ran.

    all unit tests passed                      -> pass
    killed after 1 of 4 unit tests             -> fail, 1 of 4: tests that never ran count as failed
    all passed, but it tampered with the judge -> fail, 0 of 4
    a package of the definition is missing     -> void, no score
    """
    if execution.missing_packages:
        reason = f"packages of the definition are not installed: {', '.join(execution.missing_packages)}"
        return void(test_case, reason, execution=execution)
    facts = Evaluation(
        name=test_case.name,
        parsed=execution.parsed,
        executed=execution.executed,
        unit_tests_count=len(test_case.unit_tests),
        examples_count=len(test_case.examples),
        unit_tests_passed=_earned(execution, BlockKind.UNIT_TEST, len(test_case.unit_tests)),
        examples_executed=_earned(execution, BlockKind.EXAMPLE, len(test_case.examples)),
        score=None,
        outcome=Outcome.FAIL,
        execution=execution,
        definition_hash=definition_hash(test_case),
        codejury_version=__version__,
    )
    return replace(facts, outcome=_outcome(facts), score=score_evaluation(facts, test_case))


def void(test_case: TestCase, reason: str, *, execution: Execution | None = None) -> Evaluation:
    """Return the verdict where nothing was learned about the candidate: no points, and not zero points."""
    return Evaluation(
        name=test_case.name,
        parsed=False,
        executed=False,
        unit_tests_count=len(test_case.unit_tests),
        examples_count=len(test_case.examples),
        unit_tests_passed=0,
        examples_executed=0,
        score=None,
        outcome=Outcome.VOID,
        void_reason=reason,
        execution=execution,
        definition_hash=definition_hash(test_case),
        codejury_version=__version__,
    )


def void_without_case(name: str, reason: str) -> Evaluation:
    """Return the void verdict on an answer to a test case whose definition cannot be used."""
    return Evaluation(
        name=name,
        parsed=False,
        executed=False,
        unit_tests_count=0,
        examples_count=0,
        unit_tests_passed=0,
        examples_executed=0,
        score=None,
        outcome=Outcome.VOID,
        void_reason=reason,
        codejury_version=__version__,
    )


def _earned(execution: Execution, kind: BlockKind, listed: int) -> int:
    """Count the blocks of one kind that passed, each block the definition lists at most once."""
    if not execution.executed or (kind is BlockKind.UNIT_TEST and execution.tampering):
        return 0
    passed = {block.index for block in execution.of_kind(kind) if block.passed}
    return len(passed & set(range(listed)))


def _outcome(facts: Evaluation) -> Outcome:
    """Pass or fail: all unit tests, or all examples where the definition has no unit test."""
    if not facts.executed or (facts.execution and facts.execution.tampering):
        return Outcome.FAIL
    if facts.unit_tests_count:
        passed = facts.unit_tests_passed == facts.unit_tests_count
    else:
        passed = facts.examples_executed == facts.examples_count
    return Outcome.PASS if passed else Outcome.FAIL


def score_evaluation(evaluation: Evaluation, test_case: TestCase) -> float | None:
    """Return 0 to 100 points, unrounded; None for a void evaluation.

    All four criteria, parsed, executed, 3 of 4 unit tests, 1 of 2 examples -> 25 + 25 + 18.75 + 12.5 = 81.25
    """
    if evaluation.outcome is Outcome.VOID:
        return None
    fractions = fractions_earned(evaluation, test_case)
    return 100.0 * sum(fractions.values()) / len(fractions)


def fractions_earned(evaluation: Evaluation, test_case: TestCase) -> dict[Criterion, float]:
    """How much of each criterion the definition names was met, from 0 to 1. All weigh the same."""
    criteria = test_case.scored_criteria
    if not criteria:
        raise InputError(f"{test_case.path or test_case.name}: criteria: is empty; name at least one")
    return {criterion: _fraction(criterion, evaluation) for criterion in criteria}


def _fraction(criterion: Criterion, facts: Evaluation) -> float:
    match criterion:
        case Criterion.PARSED:
            return float(facts.parsed)
        case Criterion.EXECUTED:
            return float(facts.executed)
        case Criterion.UNIT_TESTS:
            return _share(facts.unit_tests_passed, facts.unit_tests_count)
        case Criterion.EXAMPLES:
            return _share(facts.examples_executed, facts.examples_count)


def _share(earned: int, listed: int) -> float:
    # With nothing listed there is nothing to earn: a candidate gets no points for an exam that was not set.
    return earned / listed if listed else 0.0


def definition_hash(test_case: TestCase) -> str:
    """Return the SHA-256 of all that can change a verdict; the prompt or the contributor cannot."""
    facts = {
        "name": test_case.name,
        "criteria": sorted(test_case.scored_criteria),
        "examples": test_case.examples,
        "unit_tests": test_case.unit_tests,
        "imports": test_case.imports,
        "examples_setup": test_case.examples_setup,
        "examples_teardown": test_case.examples_teardown,
        "unit_tests_setup": test_case.unit_tests_setup,
        "unit_tests_teardown": test_case.unit_tests_teardown,
    }
    canonical = json.dumps(facts, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def evaluation_to_dict(evaluation: Evaluation) -> VerdictDict:
    """Return the verdict as plain JSON values."""
    execution = evaluation.execution
    return {
        "name": evaluation.name,
        "parsed": evaluation.parsed,
        "executed": evaluation.executed,
        "unit_tests_count": evaluation.unit_tests_count,
        "examples_count": evaluation.examples_count,
        "unit_tests_passed": evaluation.unit_tests_passed,
        "examples_executed": evaluation.examples_executed,
        "score": evaluation.score,
        "passed": evaluation.outcome is Outcome.PASS,
        "outcome": evaluation.outcome.value,
        "void_reason": evaluation.void_reason,
        "extraction": asdict(execution.extraction) if execution else None,
        "blocks": [asdict(block) for block in execution.blocks] if execution else [],
        "tampering": list(execution.tampering) if execution else [],
        "missing_packages": list(execution.missing_packages) if execution else [],
        "notes": list(execution.notes) if execution else [],
        "stdout_tail": execution.stdout[-STDOUT_TAIL:] if execution else "",
        "julia_version": execution.julia_version if execution else "",
        "sandbox": execution.sandbox if execution else "",
        "rules_version": evaluation.rules_version,
        "codejury_version": evaluation.codejury_version,
        "definition_hash": evaluation.definition_hash,
    }
