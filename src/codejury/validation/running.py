"""Runs solutions: one definition by itself, or many side by side on one judge."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, TypeVar

from ..definitions import (
    Submission,
    below_bars,
    bundled_suite,
    check_definition,
    check_test_case,
    find_definitions,
    load_definition,
    read_submissions,
    with_other_numbers,
)
from ..errors import DefinitionError, InputError, Problem, SandboxError
from ..records import Execution, TestCase
from .faults import report_on
from .report import SubmissionResult, ValidationReport
from .submissions import result_of, seen_in, with_submissions

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


class StartsJudge(Protocol):
    """Gives a judge with so many workers and these packages loaded."""

    def __call__(self, workers: int, packages: Sequence[str]) -> AbstractContextManager[RunsCode]: ...


class RunsCode(Protocol):
    """The part of a Judge that validation needs."""

    @property
    def level(self) -> str:
        """The isolation code runs under; an error where no code can be run at all."""

    def execute_code(self, code: str, test_case: TestCase) -> Execution: ...


@dataclass(frozen=True, slots=True)
class _Case:
    """A definition without errors, ready to run."""

    path: Path | None
    test_case: TestCase
    submissions: Sequence[Submission]
    warnings: tuple[Problem, ...] = ()
    """Of its shape."""


def validate_definition(
    source: str | Path | TestCase, *, judge: RunsCode | None = None, run: bool = True, repeats: int = 1
) -> ValidationReport:
    """Check a file or a test case, and run its solutions unless `run` is false, submissions `repeats` times.

    Without a `judge` one is started for this call. Raises DefinitionError for a file that cannot be read,
    SandboxError or ToolchainError where nothing can be run.
    """
    path = source.path if isinstance(source, TestCase) else Path(source)
    problems = check_test_case(source) if isinstance(source, TestCase) else check_definition(source)
    submissions, faults = read_submissions(path) if path else ([], [])
    bars = [] if path is None or isinstance(source, TestCase) else below_bars(path, submissions)
    shape = ValidationReport(path=path, problems=(*problems, *faults, *bars))
    if not run or not shape.can_run:
        return shape
    test_case = source if isinstance(source, TestCase) else load_definition(source)
    case = _Case(path, test_case, submissions, shape.problems)
    with _running(judge, test_case) as runner:
        report = _run_reference(case, runner)
        wanted = submissions if report.valid else []
        results = [_run_submission(case, each, runner, repeats) for each in wanted]
        return _with_warnings(with_submissions(report, results), case)


def validate_all(
    roots: Sequence[str | Path],
    *,
    start_judge: StartsJudge,
    run: bool = True,
    repeats: int = 1,
    on_progress: Callable[[int, int], None] = lambda done, of: None,
) -> list[ValidationReport]:
    """Validate every definition at or below the roots (the bundled suite without any), in their order.

    All shapes come first; the solutions of those without errors then run on one judge, submissions so many
    times. A judge that cannot start is an error; one that breaks on a file leaves that file unchecked.
    """
    shapes: dict[Path, tuple[Path, ValidationReport]] = {}
    for root in map(Path, roots or (bundled_suite(),)):
        for file, report in _shapes_below(root):
            shapes.setdefault(file.resolve(), (file, report))  # each file once, however it was named
    reports = dict(shapes.values())
    runnable = {file: report for file, report in reports.items() if report.can_run}
    if run and runnable:
        reports.update(_run_all(runnable, start_judge, on_progress, repeats))
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
    shapes: Mapping[Path, ValidationReport],
    start_judge: StartsJudge,
    on_progress: Callable[[int, int], None],
    repeats: int,
) -> dict[Path, ValidationReport]:
    cases = {
        file: _Case(file, load_definition(file), read_submissions(file)[0], shape.problems)
        for file, shape in shapes.items()
    }
    runs = len(cases) + sum(len(case.submissions) for case in cases.values())
    workers = min(runs, os.cpu_count() or 1)
    packages = sorted({package for case in cases.values() for package in case.test_case.imports})
    on_progress(0, runs)
    with start_judge(workers, packages) as judge, ThreadPoolExecutor(workers) as pool:
        try:
            _ = judge.level  # waits for the start: its failure is told once, and not by every file
            return _run_cases(cases, judge, pool, on_progress, runs, repeats)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)  # Ctrl-C does not wait for the rest
            raise


def _run_cases(
    cases: dict[Path, _Case],
    judge: RunsCode,
    pool: ThreadPoolExecutor,
    on_progress: Callable[[int, int], None],
    runs: int,
    repeats: int,
) -> dict[Path, ValidationReport]:
    """All reference solutions, then the submissions of those that passed: of others they say nothing."""

    def reference(file: Path) -> ValidationReport:
        return _checked_reference(cases[file], judge)

    def submission(one: tuple[Path, Submission]) -> SubmissionResult:
        return _checked_submission(cases[one[0]], one[1], judge, repeats)

    reports = _side_by_side(pool, reference, list(cases), lambda done: on_progress(done, runs))
    left = [(file, one) for file in cases if reports[file].valid for one in cases[file].submissions]
    first, both = len(cases), len(cases) + len(left)
    results = _side_by_side(pool, submission, left, lambda done: on_progress(first + done, both))
    return {
        file: _with_warnings(
            with_submissions(report, [results[key] for key in left if key[0] == file]), cases[file]
        )
        for file, report in reports.items()
    }


def _with_warnings(report: ValidationReport, case: _Case) -> ValidationReport:
    """What the runs say, behind what the shape says."""
    return replace(report, problems=case.warnings + report.problems)


def _side_by_side(
    pool: ThreadPoolExecutor,
    function: Callable[[_Item], _Result],
    items: Sequence[_Item],
    on_done: Callable[[int], None],
) -> dict[_Item, _Result]:
    """The result for each item, computed in parallel, in the order of the items."""
    futures = {pool.submit(function, item): item for item in items}
    for done, future in enumerate(as_completed(futures), start=1):
        future.result()  # the first failure ends it all
        on_done(done)
    return {item: future.result() for future, item in futures.items()}


def _run_reference(case: _Case, judge: RunsCode) -> ValidationReport:
    execution = judge.execute_code(case.test_case.reference_solution, case.test_case)
    return report_on(execution, case.test_case, case.path)


def _run_submission(case: _Case, submission: Submission, judge: RunsCode, repeats: int) -> SubmissionResult:
    """The first run that does not do what its folder says; else the last."""
    for number in range(max(repeats, 1)):
        test_case = with_other_numbers(case.test_case, number) if number else case.test_case
        result = result_of(submission, judge.execute_code(submission.code, test_case), test_case)
        if not result.ok:
            return seen_in(result, number + 1)
    return result


def _checked_reference(case: _Case, judge: RunsCode) -> ValidationReport:
    """As `_run_reference`; a sandbox that breaks leaves the file unchecked."""
    try:
        return _run_reference(case, judge)
    except SandboxError as exc:
        return ValidationReport(path=case.path, unchecked_because=str(exc))


def _checked_submission(
    case: _Case, submission: Submission, judge: RunsCode, repeats: int
) -> SubmissionResult:
    """As `_run_submission`; likewise."""
    try:
        return _run_submission(case, submission, judge, repeats)
    except SandboxError as exc:
        return SubmissionResult(
            name=submission.name,
            kind=submission.kind,
            listed=len(case.test_case.unit_tests),
            unchecked_because=f"{submission.field}: {exc}",
        )


def _running(judge: RunsCode | None, test_case: TestCase) -> AbstractContextManager[RunsCode]:
    if judge is not None:
        return nullcontext(judge)
    from ..judge import Judge

    return Judge(packages=test_case.imports)
