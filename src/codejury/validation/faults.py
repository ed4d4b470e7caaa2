"""From a run of a solution to what its author has to mend: each block it does not pass."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ..records import Block, BlockKind, Ending, Execution, TestCase
from .report import RunProblem, ValidationReport


def report_on(execution: Execution, test_case: TestCase, path: Path | None) -> ValidationReport:
    """What a run of the reference solution says about the definition."""
    problems = tuple(run_problems(execution, test_case, path))
    missing = packages_to_blame(execution, failed=bool(problems))
    return ValidationReport(
        path=path,
        problems=() if missing else problems,
        missing_packages=missing,
        unchecked_because=not_installed(missing),
        execution=execution,
    )


def packages_to_blame(execution: Execution, *, failed: bool) -> tuple[str, ...]:
    """The packages without which the run proves nothing."""
    if execution.missing_packages:
        return execution.missing_packages
    # The solution itself asks for a package that is not here: its failures prove nothing.
    return execution.extraction.dropped_imports if failed else ()


def not_installed(packages: tuple[str, ...]) -> str:
    """The reason in words; "" without packages."""
    return f"not installed in this Julia: {', '.join(packages)}" if packages else ""


def run_problems(
    execution: Execution, test_case: TestCase, path: Path | None, subject: str = "the reference solution"
) -> Iterator[RunProblem]:
    """Every block of the definition that its own solution, the `subject`, does not pass."""
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


def _about_solution(test_case: TestCase, path: Path | None, what: str, block: Block | None) -> RunProblem:
    return RunProblem(
        file=path,
        field="reference_solution",
        what=what,
        repair="mend the solution",
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
                field=f"{kind.value}s[{index}]",
                what=_said(block, subject) or "was not run",
                repair=_REPAIRS.get(
                    block.ending if block else Ending.NOT_RUN, "mend it or the reference_solution"
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
