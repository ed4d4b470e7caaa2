"""Mutants as tasks: faults in a solution that few unit tests notice are worth asking a model to fix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from ...records import BlockKind, Ending, Execution, TestCase
from .measure import Runs
from .mutants import Findings, Mutant

SECONDS: Final = 2.0
"""A mutant that takes longer hangs, which needs no unit test to notice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubtleFault:
    """A mutant that runs, and the unit tests that notice it, from 0."""

    mutant: Mutant
    noticed_by: tuple[int, ...]


def subtle_faults(
    test_case: TestCase,
    findings: Findings,
    run: Runs,
    *,
    most: int,
    seed: int,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[SubtleFault]:
    """The mutants that some unit tests notice, those that the fewest do first; at most so many are tried."""
    faults = []
    drawn = _drawn(findings.mutants, most, seed)
    for done, mutant in enumerate(drawn, start=1):
        execution = run(mutant.code, test_case, SECONDS)
        hangs = any(block.ending is Ending.TIMED_OUT for block in execution.blocks)
        failed = failed_tests(execution, test_case)
        if execution.executed and failed and not hangs:
            faults.append(SubtleFault(mutant=mutant, noticed_by=tuple(sorted(failed))))
        on_progress(done, len(drawn))
    return sorted(faults, key=lambda fault: (len(fault.noticed_by), fault.mutant.line, fault.mutant.id))


def failed_tests(execution: Execution, test_case: TestCase) -> frozenset[int]:
    """The unit tests, from 0, that were not passed; all of them after tampering."""
    passed = {block.index for block in execution.of_kind(BlockKind.UNIT_TEST) if block.passed}
    everything = frozenset(range(len(test_case.unit_tests)))
    return everything if execution.tampering else everything - passed


def _drawn(mutants: Sequence[Mutant], most: int, seed: int) -> list[Mutant]:
    if len(mutants) <= most:
        return list(mutants)
    return [mutants[number] for number in sorted(Random(seed).sample(range(len(mutants)), most))]
