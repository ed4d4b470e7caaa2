"""Runs solutions: one definition by itself, or many side by side on one judge."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeVar

from ..errors import DefinitionError, InputError, Problem, SandboxError, suggestion
from ..judge.judge import Judge
from ..judge.score import older_julia
from ..records import BlockKind, Execution, Packages, TaskKind, TestCase
from .check import check_definition, check_test_case
from .load import load_definition
from .requirements import below_bars
from .strength.repeats import with_other_numbers
from .submissions import Submission, SubmissionKind, read_submissions
from .suite import Suite, find_definitions, packages_of, suite_in_use
from .validation_report import (
    RunProblem,
    SubmissionResult,
    ValidationReport,
    not_installed,
    packages_to_blame,
    report_on,
    run_problems,
)

_WRONG_SECONDS: Final = 2.0
_PATIENCE: Final = 5
"""A part of a wrong submission may take so many times as long as the slowest one of the solution."""

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


StartsJudge = Callable[[int, Packages], AbstractContextManager[Judge]]
"""Gives a judge for so many runs, with these packages loaded."""


@dataclass(frozen=True, slots=True)
class _Case:
    """A definition without errors, ready to run."""

    path: Path | None
    test_case: TestCase
    submissions: Sequence[Submission]
    warnings: tuple[Problem, ...] = ()
    """Of its shape."""


def validate_definition(
    source: str | Path | TestCase, *, judge: Judge | None = None, run: bool = True, repeats: int = 1
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
        results = [_run_submission(case, each, runner, repeats, report.execution) for each in wanted]
        return _with_warnings(with_submissions(report, results), case)


def validate_all(
    roots: Sequence[str | Path],
    *,
    start_judge: StartsJudge,
    run: bool = True,
    repeats: int = 1,
    on_progress: Callable[[int, int], None] = lambda done, of: None,
) -> list[ValidationReport]:
    """Validate every definition at or below the roots (the suite in use without any), in their order.

    All shapes come first; the solutions of those without errors then run on one judge, submissions so many
    times. A judge that cannot start is an error; one that breaks on a file leaves that file unchecked.
    """
    shapes: dict[Path, tuple[Path, ValidationReport]] = {}
    for root in map(Path, roots or (suite_in_use(),)):
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
        problem = Problem(file=root, field="path", what=what, repair=_what_to_name(root))
        yield root, ValidationReport(path=root, problems=(problem,), readable=False)
        return
    for file in files:
        try:
            yield file, validate_definition(file, run=False)
        except DefinitionError as exc:
            yield file, ValidationReport(path=file, problems=exc.problems, readable=False)


def _what_to_name(path: Path) -> str:
    """What somebody may have meant by a path that is none: often the name of a test case."""
    advice = "name a definition, a folder, or a test case of the suite"
    if path.suffix or path.exists():
        return advice
    try:
        known = [key for key in Suite.below().keys if "/" in key]
    except InputError:  # codejury.toml names a folder without definitions
        return advice
    return f"{advice}; {suggestion(path.as_posix(), known)}"


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
    packages = packages_of(case.test_case for case in cases.values())
    on_progress(0, runs)
    with start_judge(runs, packages) as judge:
        _ = judge.level  # waits for the start: its failure is told once, and not by every file
        return _run_cases(cases, judge, on_progress, runs, repeats)


def _run_cases(
    cases: dict[Path, _Case],
    judge: Judge,
    on_progress: Callable[[int, int], None],
    runs: int,
    repeats: int,
) -> dict[Path, ValidationReport]:
    """All reference solutions, then the submissions of those that passed: of others they say nothing."""

    def reference(file: Path) -> ValidationReport:
        return _checked_reference(cases[file], judge)

    def submission(one: tuple[Path, Submission]) -> SubmissionResult:
        return _checked_submission(cases[one[0]], one[1], judge, repeats, reports[one[0]].execution)

    reports = _side_by_side(judge, reference, list(cases), lambda done: on_progress(done, runs))
    left = [(file, one) for file in cases if reports[file].valid for one in cases[file].submissions]
    first, both = len(cases), len(cases) + len(left)
    results = _side_by_side(judge, submission, left, lambda done: on_progress(first + done, both))
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
    judge: Judge,
    function: Callable[[_Item], _Result],
    items: Sequence[_Item],
    on_done: Callable[[int], None],
) -> dict[_Item, _Result]:
    """The result for each item, computed in parallel, in the order of the items."""
    results: dict[_Item, _Result] = {}
    with closing(judge.each(items, function)) as done:
        for item, result in done:
            results[item] = result
            on_done(len(results))
    return results


def _run_reference(case: _Case, judge: Judge) -> ValidationReport:
    execution = judge.execute_code(case.test_case.reference_solution, case.test_case, measure=True)
    report = report_on(execution, case.test_case, case.path)
    if not case.test_case.given or not report.valid:
        return report
    return replace(report, problems=tuple(_given_alone(case, judge)))


def _given_alone(case: _Case, judge: Judge) -> Iterator[RunProblem]:
    """The given code by itself: it has to run, and to leave something to do.

    Were it to pass all unit tests, an answer that only repeats it would be accepted.
    """
    alone = replace(case.test_case, given="")
    execution = judge.execute_code(case.test_case.given, alone)
    if _unit_tests_passed(execution, alone) == len(alone.unit_tests):
        yield RunProblem(
            file=case.path,
            field="given",
            what=f"passes all {len(alone.unit_tests)} unit tests by itself, so there is nothing left to do",
            repair=_LEFT_TO_DO.get(case.test_case.kind, "add a unit test that it fails"),
            code=case.test_case.given,
        )


def _run_submission(
    case: _Case, submission: Submission, judge: Judge, repeats: int, reference: Execution | None
) -> SubmissionResult:
    """The first run that does not do what its folder says; else the last."""
    if reference is not None and (too_new := older_julia(reference.julia_version, submission.julia)):
        return _not_run(case, submission, left_out_because=too_new)
    seconds = _seconds_for(submission, reference)
    for number in range(max(repeats, 1)):
        test_case = with_other_numbers(case.test_case, number) if number else case.test_case
        execution = judge.execute_code(submission.code, test_case, seconds)
        result = result_of(submission, execution, test_case)
        if not result.ok:
            return seen_in(result, number + 1)
    return result


def _seconds_for(submission: Submission, reference: Execution | None) -> float | None:
    """A limit of its own for a wrong submission: one that waits for ever shows its mistake sooner.

    It grows with the time that the solution took on the same machine a moment ago, so that none is
    taken for wrong because the machine is busy.
    """
    if submission.kind is SubmissionKind.ACCEPTED or reference is None:
        return None
    slowest = max((block.seconds for block in reference.blocks), default=0.0)
    return max(_WRONG_SECONDS, _PATIENCE * slowest)


def _checked_reference(case: _Case, judge: Judge) -> ValidationReport:
    """As `_run_reference`; a sandbox that breaks leaves the file unchecked."""
    try:
        return _run_reference(case, judge)
    except SandboxError as exc:
        return ValidationReport(path=case.path, unchecked_because=str(exc))


def _checked_submission(
    case: _Case, submission: Submission, judge: Judge, repeats: int, reference: Execution | None
) -> SubmissionResult:
    """As `_run_submission`; likewise."""
    try:
        return _run_submission(case, submission, judge, repeats, reference)
    except SandboxError as exc:
        return _not_run(case, submission, unchecked_because=f"{submission.field}: {exc}")


def _not_run(
    case: _Case, submission: Submission, *, unchecked_because: str = "", left_out_because: str = ""
) -> SubmissionResult:
    return SubmissionResult(
        name=submission.name,
        kind=submission.kind,
        listed=len(case.test_case.unit_tests),
        unchecked_because=unchecked_because,
        left_out_because=left_out_because,
    )


def _running(judge: Judge | None, test_case: TestCase) -> AbstractContextManager[Judge]:
    if judge is not None:
        return nullcontext(judge)
    return Judge(packages=packages_of([test_case]))


# ---- The other solutions of a definition: a right one has to pass everything, a wrong one must not.

_LEFT_TO_DO: Final = {
    TaskKind.FIX.value: "put a fault into it, or add a unit test that shows the one it has",
    TaskKind.SPEED.value: "add a unit test that it is too slow for, or that it allocates too much for",
}
_FIX_IT: Final = "fix the submission, or what asks for more than the prompt says"


def result_of(submission: Submission, execution: Execution, test_case: TestCase) -> SubmissionResult:
    """What a run of the submission says about the definition."""
    failures = tuple(run_problems(execution, test_case, submission.path, "the submission"))
    passed, listed = _unit_tests_passed(execution, test_case), len(test_case.unit_tests)
    missing = packages_to_blame(execution, failed=bool(failures))
    because = older_julia(execution.julia_version, test_case.julia) or not_installed(missing)
    problems: tuple[RunProblem, ...] = ()
    if not because and submission.kind is SubmissionKind.ACCEPTED:
        problems = tuple(_about(submission, failures))
    elif not because and passed == listed:
        problems = (_passes_everything(submission, listed),)
    return SubmissionResult(
        name=submission.name,
        kind=submission.kind,
        passed=passed,
        listed=listed,
        problems=problems,
        missing_packages=missing,
        unchecked_because=f"{submission.field}: {because}" if because else "",
    )


def seen_in(result: SubmissionResult, number: int) -> SubmissionResult:
    """The result of a later run says which: the first ones went well, so the tests are unsteady."""
    if number == 1:
        return result
    problems = (replace(problem, what=f"{problem.what} (in run {number})") for problem in result.problems)
    return replace(result, problems=tuple(problems))


def with_submissions(report: ValidationReport, results: Sequence[SubmissionResult]) -> ValidationReport:
    """The report on the reference solution, and what the submissions add to it."""
    because = (report.unchecked_because, *(result.unchecked_because for result in results))
    missing = [package for result in results for package in result.missing_packages]
    return replace(
        report,
        problems=report.problems + tuple(problem for result in results for problem in result.problems),
        missing_packages=tuple(dict.fromkeys((*report.missing_packages, *missing))),
        unchecked_because="; ".join(filter(None, because)),
        submissions=tuple(results),
    )


def _unit_tests_passed(execution: Execution, test_case: TestCase) -> int:
    """What the definition lists counts, not what was reported; tampering fails all."""
    blocks = execution.of_kind(BlockKind.UNIT_TEST)
    passed = {block.index for block in blocks if block.passed and not execution.tampering}
    return len(passed & set(range(len(test_case.unit_tests))))


def _about(submission: Submission, failures: Sequence[RunProblem]) -> Iterator[RunProblem]:
    """The failures of a right solution, as problems of its file."""
    for failure in failures:
        whole = failure.field == "reference_solution"
        yield replace(
            failure,
            field=submission.field,
            what=failure.what if whole else f"{failure.field}: {failure.what}",
            repair=_FIX_IT if failure.repair.startswith("fix") else failure.repair,
            code=submission.code if whole else failure.code,
        )


def _passes_everything(submission: Submission, listed: int) -> RunProblem:
    return RunProblem(
        file=submission.path,
        field=submission.field,
        what=f"passes all {listed} unit tests, though it is meant to be wrong",
        repair="add a unit test that it fails, or move it to accepted if it is right",
        code=submission.code,
    )
