"""From facts to points. Pure: no files, no processes, no clock.

Execution -> assess() -> Evaluation -> score_evaluation() -> 0 to 100, or None where nothing was learned
                                    -> evaluation_to_dict() -> the verdict as plain JSON values
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import asdict, is_dataclass, replace
from typing import Any, Final

from .. import __version__
from ..errors import InputError
from ..records import BlockKind, Criterion, DecidedBy, Evaluation, Execution, Outcome, TestCase, verdict_facts


def assess(execution: Execution, test_case: TestCase) -> Evaluation:
    """Judge what happened when a candidate ran.

    all unit tests passed                      -> pass
    killed after 1 of 4 unit tests             -> fail, 1 of 4: tests that never ran count as failed
    all passed, but it tampered with the judge -> fail, 0 of 4
    a package of the definition is missing     -> void, no score
    this Julia is older than the definition's  -> void, no score
    """
    if execution.missing_packages:
        reason = f"packages of the definition are not installed: {', '.join(execution.missing_packages)}"
        return void(test_case, reason, execution=execution)
    if reason := older_julia(execution.julia_version, test_case.julia) or execution.given_error:
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


def of_referee_only(evaluation: Evaluation, test_case: TestCase, split: Set[int]) -> Evaluation:
    """The same verdict from the unit tests in `split` alone, and passed only where the referee decided.

    `split` is what the referee decided for the reference solution: a candidate cannot take a test out of the
    count by answering it with a type of its own.
    """
    if evaluation.execution is None or evaluation.outcome is Outcome.VOID:
        return evaluation
    passed = sum(
        block.passed and block.index in split and block.decided_by is DecidedBy.REFEREE
        for block in evaluation.execution.of_kind(BlockKind.UNIT_TEST)
    )
    counted = 0 if not evaluation.unit_tests_passed else passed
    facts = replace(evaluation, unit_tests_count=len(split), unit_tests_passed=counted)
    return replace(facts, outcome=_outcome(facts), score=score_evaluation(facts, test_case))


def decided_by_referee(execution: Execution) -> frozenset[int]:
    """The unit tests that the referee decided, by their place in the definition."""
    tests = execution.of_kind(BlockKind.UNIT_TEST)
    return frozenset(test.index for test in tests if test.decided_by is DecidedBy.REFEREE)


def older_julia(julia_version: str, needed: str) -> str:
    """Why this Julia cannot run what needs another: `needs Julia 1.9, and this is 1.5.3`; "" where it can.

    `1.9.0-rc2` counts as 1.9: what a version brings is in its release candidates.
    """
    here, least = _numbers(julia_version), _numbers(needed)
    if not here or here >= least:  # a sandbox that does not say its version is taken as good enough
        return ""
    return f"needs Julia {needed}, and this is {julia_version}"


def _numbers(version: str) -> tuple[int, ...]:
    """`1.10.4` -> (1, 10, 4); () where the text does not begin like a version."""
    found = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(int(part) for part in found[0].split(".")) if found else ()


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
    # With nothing listed there is nothing to earn: a candidate gets no points for tests that do not exist.
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
    if test_case.given:  # without it, the hash is that of the time before there was given code
        facts["given"] = test_case.given
    canonical = json.dumps(facts, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def evaluation_to_dict(evaluation: Evaluation) -> dict[str, Any]:
    """Return the verdict as plain JSON values: a line of bulk judging, or `codejury evaluate --json`."""
    facts = verdict_facts(evaluation) | {"passed": evaluation.outcome is Outcome.PASS}
    return {name: _plain(facts[name]) for name in VERDICT_FIELDS}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return dict(value)
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


def _verdict_fields() -> Iterator[str]:
    """The fields of a line, in their order: what other tools read of a verdict."""
    for name in verdict_facts(void_without_case("", "")):
        if name != "extra":
            yield name
        if name == "score":
            yield "passed"


VERDICT_FIELDS: Final = tuple(_verdict_fields())
