"""What validation has to say.

ValidationReport
    problems            what its author has to fix: errors and warnings of shape, then what the runs brought
    missing_packages    Julia packages it needs that are not installed: nothing was learned about it
    unchecked_because   in words, why nothing was learned; "" where the answer is known
    submissions         how the solutions beside it did
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Final

from ..errors import Problem, Severity
from ..judge.score import older_julia
from ..records import Block, BlockKind, DecidedBy, Ending, Execution, Performance, TestCase
from .submissions import SubmissionKind

_MOST_DECIDED_BY_ANSWERS: Final = 1 / 5
"""Of the unit tests of a definition, before its author is told."""
LEAST_SECONDS: Final = 10e-6
"""Of a statement that is measured: half of what the format asks for, so that no faster machine complains."""
MOST_SECONDS: Final = 50e-3
"""The same: a round has two of them, and there are at least nine rounds."""


class ValidationStatus(StrEnum):
    VALID = "valid"
    WARNED = "warned"  # nothing but warnings: answers can be judged by it
    INVALID = "invalid"  # at least one error
    UNCHECKED = "unchecked"  # cannot be checked here: a package is missing, or the sandbox broke
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunProblem(Problem):
    """A problem that running a solution brought to light; `code` is the block that failed.

    Answers can be judged all the same, so it is a warning.
    """

    severity: Severity = Severity.WARNING
    line: int | None = None
    """The line of `code` that failed, from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionResult:
    """How one submission did."""

    name: str
    """The name of its file."""
    kind: SubmissionKind
    passed: int = 0
    """Unit tests."""
    listed: int
    """Unit tests of the definition."""
    problems: tuple[RunProblem, ...] = ()
    missing_packages: tuple[str, ...] = ()
    unchecked_because: str = ""
    left_out_because: str = ""
    """It was not run, and need not be: it is written for a newer Julia than this one."""

    @property
    def ok(self) -> bool | None:
        """Whether it did what its folder says; None if nothing was learned."""
        return None if self.unchecked_because or self.left_out_because else not self.problems


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationReport:
    """What is known about one definition."""

    path: Path | None
    problems: tuple[Problem, ...] = ()
    missing_packages: tuple[str, ...] = ()
    unchecked_because: str = ""
    readable: bool = True
    execution: Execution | None = None
    """How the reference solution ran; None if it did not."""
    submissions: tuple[SubmissionResult, ...] = ()
    """Those that ran: none before the reference solution passes."""

    @property
    def status(self) -> ValidationStatus:
        if not self.readable:
            return ValidationStatus.UNREADABLE
        if any(problem.is_error for problem in self.problems):
            return ValidationStatus.INVALID
        if self.problems:
            return ValidationStatus.WARNED
        return ValidationStatus.UNCHECKED if self.unchecked_because else ValidationStatus.VALID

    @property
    def valid(self) -> bool:
        return self.status is ValidationStatus.VALID

    @property
    def can_run(self) -> bool:
        """Whether the shape lets the reference solution be run."""
        fields = {problem.field for problem in self.problems}
        return (
            self.readable
            and self.status is not ValidationStatus.INVALID
            and "reference_solution" not in fields
        )

    def without_warnings(self) -> ValidationReport:
        """The report for those who ask for nothing but errors."""
        return replace(self, problems=tuple(problem for problem in self.problems if problem.is_error))

    @property
    def decided_by_answers(self) -> int:
        """Unit tests that no referee can decide: a type of the answer's own does; 0 up to a fifth of them."""
        tests = self.execution.of_kind(BlockKind.UNIT_TEST) if self.execution else ()
        own = sum(test.decided_by is DecidedBy.CANDIDATE for test in tests)
        return own if own > _MOST_DECIDED_BY_ANSWERS * len(tests) else 0

    @property
    def only_lacks_packages(self) -> bool:
        """Nothing is known to be wrong with it, and it could be checked where its packages are."""
        return self.status is ValidationStatus.UNCHECKED and bool(self.missing_packages)


# ---- From a run of a solution to what its author has to fix: each block it does not pass.


def report_on(execution: Execution, test_case: TestCase, path: Path | None) -> ValidationReport:
    """What a run of the reference solution says about the definition."""
    problems = tuple(run_problems(execution, test_case, path))
    missing = packages_to_blame(execution, failed=bool(problems))
    unchecked = older_julia(execution.julia_version, test_case.julia) or not_installed(missing)
    return ValidationReport(
        path=path,
        problems=() if unchecked else problems,
        missing_packages=missing,
        unchecked_because=unchecked,
        execution=execution,
    )


def packages_to_blame(execution: Execution, *, failed: bool) -> tuple[str, ...]:
    """The packages without which the run proves nothing."""
    if execution.missing_packages:
        return execution.missing_packages
    # The solution itself asks for a package that is not here: its failures prove nothing.
    return execution.extraction.dropped_imports if failed else ()


def nothing_learned(execution: Execution, test_case: TestCase) -> str:
    """Why a run of a solution proves nothing; "" where it does."""
    too_old = older_julia(execution.julia_version, test_case.julia)
    return too_old or execution.given_error or not_installed(execution.missing_packages)


def not_installed(packages: tuple[str, ...]) -> str:
    """The reason in words; "" without packages."""
    return f"not installed in this Julia: {', '.join(packages)}" if packages else ""


def run_problems(
    execution: Execution, test_case: TestCase, path: Path | None, subject: str = "the reference solution"
) -> Iterator[RunProblem]:
    """Every block of the definition that its own solution, the `subject`, does not pass."""
    if execution.given_error:
        repair = "fix it: it has to run by itself, before any answer"
        yield RunProblem(
            file=path, field="given", what=execution.given_error, repair=repair, code=test_case.given
        )
        return
    if execution.tampering:
        what = f"tampers with the judge: {', '.join(execution.tampering)}"
        yield _about_solution(test_case, path, what, None)
    if not (execution.parsed and execution.executed):
        # Nothing else has run: one cause, one problem.
        main = next(iter(execution.of_kind(BlockKind.MAIN)), None)
        said = _said(main, subject) or "does not run"
        what = said if execution.parsed else f"does not parse: {said}"
        yield _about_solution(test_case, path, what, main)
        return
    yield from _failed(execution, BlockKind.EXAMPLE, test_case.examples, path, subject)
    yield from _failed(execution, BlockKind.UNIT_TEST, test_case.unit_tests, path, subject)
    if execution.performance:
        yield from _unmeasurable(execution.performance, test_case, path)


def _unmeasurable(performance: Performance, test_case: TestCase, path: Path | None) -> Iterator[RunProblem]:
    """The statements of `performance` that cannot be measured, or not well."""
    if performance.not_measured:
        listed = test_case.performance[performance.failed - 1 : performance.failed]
        yield RunProblem(
            file=path,
            field=f"performance[{performance.failed}]" if listed else "performance",
            what=f"cannot be measured: {performance.not_measured}",
            repair="fix it or the reference_solution",
            code=listed[0].statement if listed else "",
        )
    for number, one in enumerate(performance.statements, start=1):
        if not LEAST_SECONDS <= one.seconds <= MOST_SECONDS:
            yield RunProblem(
                file=path,
                field=f"performance[{number}]",
                what=f"takes {one.seconds * 1e6:.3g} microseconds in the reference solution",
                repair="choose a set-up with which it takes 20 to 10000",
                code=one.statement,
            )


def _about_solution(test_case: TestCase, path: Path | None, what: str, block: Block | None) -> RunProblem:
    return RunProblem(
        file=path,
        field="reference_solution",
        what=what,
        repair="fix the solution",
        code=test_case.reference_solution,
        line=block.line if block else None,
    )


def _failed(
    execution: Execution, kind: BlockKind, codes: tuple[str, ...], path: Path | None, subject: str
) -> Iterator[RunProblem]:
    """The blocks of one kind that did not pass; what the definition lists counts, not what was reported."""
    blocks = {block.index: block for block in execution.of_kind(kind)}
    for index, code in enumerate(codes):
        block = blocks.get(index)
        if block is None or not block.passed:
            yield RunProblem(
                file=path,
                field=f"{kind.value}s[{index + 1}]",
                what=_said(block, subject) or "was not run",
                repair=_REPAIRS.get(
                    block.ending if block else Ending.NOT_RUN, "fix it or the reference_solution"
                ),
                code=code,
                line=block.line if block else None,
            )


_ENDINGS: Final = {
    Ending.FAILED: "{} fails it",
    Ending.ERRORED: "{} raises an exception",
    Ending.TIMED_OUT: "{} runs out of time",
    Ending.OUT_OF_MEMORY: "{} runs out of memory",
    Ending.OUTPUT_FLOOD: "{} prints too much",
    Ending.DIED: "the process ended before it was done",
    Ending.NOT_RUN: "was not run",
}

_REPAIRS: Final = {
    Ending.TIMED_OUT: "make it quicker, or allow more time with --timeout and --answer-timeout",
    Ending.NOT_RUN: "run validate again",
}


def _said(block: Block | None, subject: str) -> str:
    """`the reference solution fails it, line 2: Evaluated: 3 == 4`, as much as is known."""
    if block is None:
        return ""
    where = f", line {block.line}" if block.line else ""
    error = ": ".join(part for part in (block.error_type, block.message) if part)
    return (
        _ENDINGS.get(block.ending, block.ending.value).format(subject)
        + where
        + (f": {error}" if error else "")
    )
