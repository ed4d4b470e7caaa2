"""Is a definition fit for the exam? Its shape first; then its own reference solution sits the exam.

validate_definition -> ValidationReport
    problems            what its author has to mend: faults of shape, or blocks the solution does not pass
    missing_packages    Julia packages it needs that are not installed: nothing was learned about it
    unchecked_because   in words, why nothing was learned; "" where the answer is known
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final, Protocol

from .definitions import bundled_suite, check_definition, check_test_case, find_definitions, load_definition
from .errors import DefinitionError, InputError, Problem, SandboxError
from .records import Block, BlockKind, Ending, Execution, TestCase


class Status(StrEnum):
    VALID = "valid"
    INVALID = "invalid"
    UNCHECKED = "unchecked"  # cannot be checked here: a package is missing, or the sandbox broke
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunProblem(Problem):
    """A problem that running the reference solution brought to light; `code` is the block that failed."""

    line: int | None = None
    """The line of `code` that failed, from 1."""


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

    @property
    def status(self) -> Status:
        if not self.readable:
            return Status.UNREADABLE
        if self.problems:
            return Status.INVALID
        return Status.UNCHECKED if self.unchecked_because else Status.VALID

    @property
    def valid(self) -> bool:
        return self.status is Status.VALID


class StartsJudge(Protocol):
    """Gives a judge with so many workers and these packages loaded."""

    def __call__(self, workers: int, packages: Sequence[str]) -> AbstractContextManager[RunsCode]: ...


class RunsCode(Protocol):
    """The part of a Judge that validation needs."""

    @property
    def level(self) -> str:
        """The isolation code runs under; an error where no code can be run at all."""

    def execute_code(self, code: str, test_case: TestCase) -> Execution: ...


def validate_definition(
    source: str | Path | TestCase, *, judge: RunsCode | None = None, run: bool = True
) -> ValidationReport:
    """Check a file or a test case, and run its reference solution unless `run` is false.

    Without a `judge` one is started for this call. Raises DefinitionError for a file that cannot be read,
    SandboxError or ToolchainError where nothing can be run.
    """
    path = source.path if isinstance(source, TestCase) else Path(source)
    problems = check_test_case(source) if isinstance(source, TestCase) else check_definition(source)
    if problems or not run:
        return ValidationReport(path=path, problems=tuple(problems))
    test_case = source if isinstance(source, TestCase) else load_definition(source)
    with _running(judge, test_case) as runner:
        execution = runner.execute_code(test_case.reference_solution, test_case)
    return report_on(execution, test_case, path)


def validate_all(
    roots: Sequence[str | Path],
    *,
    start_judge: StartsJudge,
    run: bool = True,
    on_progress: Callable[[int, int], None] = lambda done, of: None,
) -> list[ValidationReport]:
    """Validate every definition at or below the roots (the bundled suite without any), in their order.

    All shapes come first; the solutions of the good ones then run on one judge. A judge that cannot start
    is an error; one that breaks on a file leaves that file unchecked.
    """
    shapes: dict[Path, tuple[Path, ValidationReport]] = {}
    for root in map(Path, roots or (bundled_suite(),)):
        for file, report in _shapes_below(root):
            shapes.setdefault(file.resolve(), (file, report))  # each file once, however it was named
    reports = dict(shapes.values())
    runnable = [file for file, report in reports.items() if report.valid]
    if run and runnable:
        reports.update(_run_all(runnable, start_judge, on_progress))
    return list(reports.values())


def _shapes_below(root: Path) -> Iterator[tuple[Path, ValidationReport]]:
    try:
        files = find_definitions(root)
    except InputError as exc:
        what = str(exc).removeprefix(f"{root}: ")
        problem = Problem(file=root, field="path", what=what, repair="name a definition or a folder")
        yield root, ValidationReport(path=root, problems=(problem,), readable=False)
        return
    for file in files:
        try:
            yield file, validate_definition(file, run=False)
        except DefinitionError as exc:
            yield file, ValidationReport(path=file, problems=exc.problems, readable=False)


def _run_all(
    files: Sequence[Path],
    start_judge: StartsJudge,
    on_progress: Callable[[int, int], None],
) -> Iterator[tuple[Path, ValidationReport]]:
    workers = min(len(files), os.cpu_count() or 1)
    packages = sorted({package for file in files for package in load_definition(file).imports})
    on_progress(0, len(files))
    with start_judge(workers, packages) as judge, ThreadPoolExecutor(workers) as pool:
        try:
            _ = judge.level  # waits for the start: its failure is told once, and not by every file
            futures = {pool.submit(_run_one, file, judge): file for file in files}
            for done, future in enumerate(as_completed(futures), start=1):
                on_progress(done, len(files))
                yield futures[future], future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)  # Ctrl-C does not wait for the rest
            raise


def _run_one(file: Path, judge: RunsCode) -> ValidationReport:
    try:
        return validate_definition(file, judge=judge)
    except SandboxError as exc:
        return ValidationReport(path=file, unchecked_because=str(exc))


def _running(judge: RunsCode | None, test_case: TestCase) -> AbstractContextManager[RunsCode]:
    if judge is not None:
        return nullcontext(judge)
    from .judge import Judge

    return Judge(packages=test_case.imports)


def report_on(execution: Execution, test_case: TestCase, path: Path | None) -> ValidationReport:
    """What a run of the reference solution says about the definition."""
    problems = () if execution.missing_packages else tuple(run_problems(execution, test_case, path))
    missing = execution.missing_packages
    if problems and execution.extraction.dropped_imports:
        # The solution itself asks for a package that is not here: its failures prove nothing.
        problems, missing = (), execution.extraction.dropped_imports
    because = f"not installed in this Julia: {', '.join(missing)}" if missing else ""
    return ValidationReport(
        path=path,
        problems=problems,
        missing_packages=missing,
        unchecked_because=because,
        execution=execution,
    )


def run_problems(execution: Execution, test_case: TestCase, path: Path | None) -> Iterator[RunProblem]:
    """Every block of the definition that its own solution does not pass."""
    if execution.tampering:
        what = f"tampers with the judge: {', '.join(execution.tampering)}"
        yield _about_solution(test_case, path, what, None)
    if not (execution.parsed and execution.executed):
        # Nothing else has run: one cause, one problem.
        main = next(iter(execution.of_kind(BlockKind.MAIN)), None)
        said = _said(main) or "does not run"
        what = said if execution.parsed else f"does not parse: {said}"
        yield _about_solution(test_case, path, what, main)
        return
    yield from _failed(execution, BlockKind.EXAMPLE, "examples", test_case.examples, path)
    yield from _failed(execution, BlockKind.UNIT_TEST, "unit_tests", test_case.unit_tests, path)


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
    execution: Execution, kind: BlockKind, field: str, codes: tuple[str, ...], path: Path | None
) -> Iterator[RunProblem]:
    """The blocks of one kind that did not pass; what the definition lists counts, not what was reported."""
    blocks = {block.index: block for block in execution.of_kind(kind)}
    for index, code in enumerate(codes):
        block = blocks.get(index)
        if block is None or not block.passed:
            yield RunProblem(
                file=path,
                field=f"{field}[{index}]",
                what=_said(block) or "was not run",
                repair=_REPAIRS.get(
                    block.ending if block else Ending.NOT_RUN, "mend it or the reference_solution"
                ),
                code=code,
                line=block.line if block else None,
            )


_ENDINGS: Final = {
    Ending.FAILED: "the reference solution fails it",
    Ending.ERRORED: "the reference solution raises an exception",
    Ending.TIMED_OUT: "the reference solution runs out of time",
    Ending.OUT_OF_MEMORY: "the reference solution runs out of memory",
    Ending.OUTPUT_FLOOD: "the reference solution prints too much",
    Ending.DIED: "the process ended before it was done",
    Ending.NOT_RUN: "was not run",
}

_REPAIRS: Final = {
    Ending.TIMED_OUT: "make it quicker, or allow more time with --timeout",
    Ending.NOT_RUN: "run validate again",
}


def _said(block: Block | None) -> str:
    """`the reference solution fails it, line 2: Evaluated: 3 == 4`, as much as is known."""
    if block is None:
        return ""
    where = f", line {block.line}" if block.line else ""
    error = ": ".join(part for part in (block.error_type, block.message) if part)
    return _ENDINGS.get(block.ending, block.ending.value) + where + (f": {error}" if error else "")
