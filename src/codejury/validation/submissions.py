"""The other solutions of a definition: a right one has to pass everything, a wrong one must not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from ..definitions import Submission, SubmissionKind
from ..records import BlockKind, Execution, TestCase
from .faults import not_installed, packages_to_blame, run_problems
from .report import RunProblem, SubmissionResult, ValidationReport

_MEND_IT: Final = "mend the submission, or what asks for more than the prompt says"


def result_of(submission: Submission, execution: Execution, test_case: TestCase) -> SubmissionResult:
    """What a run of the submission says about the definition."""
    failures = tuple(run_problems(execution, test_case, submission.path, "the submission"))
    passed, listed = _unit_tests_passed(execution, test_case), len(test_case.unit_tests)
    missing = packages_to_blame(execution, failed=bool(failures))
    problems: tuple[RunProblem, ...] = ()
    if not missing and submission.kind is SubmissionKind.ACCEPTED:
        problems = tuple(_about(submission, failures))
    elif not missing and passed == listed:
        problems = (_passes_everything(submission, listed),)
    return SubmissionResult(
        name=submission.name,
        kind=submission.kind,
        passed=passed,
        listed=listed,
        problems=problems,
        missing_packages=missing,
        unchecked_because=f"{submission.field}: {not_installed(missing)}" if missing else "",
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
            repair=_MEND_IT if failure.repair.startswith("mend") else failure.repair,
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
