"""The group `suite`: solutions of the bundled suite pass, and its wrong ones fail."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final

from ..judge.judge import Judge
from ..judge.sandbox.factory import SandboxFactory
from ..records import BlockKind
from ..suite.suite import bundled_suite, find_definitions
from ..suite.validate import validate_definition
from ..suite.validation_report import ValidationReport, ValidationStatus
from .checks import CheckState, Result, SelftestTrial
from .machine import Machine

SAMPLE: Final = (
    "concurrency/run_stages",
    "dates_and_times/add_business_days",
    "iterators/lazy_merge",
    "linear_algebra_and_statistics/pairwise_cor",
    "metaprogramming/retry",
    "numerics/exact_sum",
    "parsing/last_lines",
    "strings_and_text/to_snake_case",
    "types_and_dispatch/Money",
)
"""One of many categories each, all quick: none of their wrong submissions waits for a limit of time."""


def suite_trials(machine: Machine) -> Iterator[SelftestTrial]:
    """One for each test case of the sample."""
    yield from _trials(machine, [bundled_suite() / name / "definition.toml" for name in SAMPLE])


def whole_suite_trials(machine: Machine) -> Iterator[SelftestTrial]:
    """One for each test case that there is."""
    yield from _trials(machine, find_definitions(bundled_suite()))


def _trials(machine: Machine, files: Sequence[Path]) -> Iterator[SelftestTrial]:
    workers = min(os.cpu_count() or 1, len(files))
    factory = SandboxFactory(level=machine.level, settings=machine.settings)
    with Judge(workers=workers, sandbox_factory=factory) as judge:
        started: list[str] = []
        yield SelftestTrial("workers start", partial(_start, judge, factory, started))
        if not started:
            return
        pool = ThreadPoolExecutor(workers)
        try:
            waiting = [pool.submit(validate_definition, file, judge=judge) for file in files]
            for file, report in zip(files, waiting, strict=True):
                yield SelftestTrial(f"{file.parent.parent.name}/{file.parent.name}", partial(_await, report))
        finally:
            pool.shutdown(cancel_futures=True)


def _start(judge: Judge, factory: SandboxFactory, started: list[str]) -> Result:
    started.append(judge.level)
    if factory.note:
        return CheckState.FAILED, factory.note
    return CheckState.PASSED, ""


def _await(report: Future[ValidationReport]) -> Result:
    return result_of(report.result())


def result_of(report: ValidationReport) -> Result:
    """What the report on a test case means here: a package that is not installed is no failure."""
    if report.valid:
        return CheckState.PASSED, _counts(report)
    if report.status is ValidationStatus.UNCHECKED:
        return (
            CheckState.SKIPPED if report.only_lacks_packages else CheckState.FAILED
        ), report.unchecked_because
    return CheckState.FAILED, "; ".join(f"{problem.field}: {problem.what}" for problem in report.problems)


def _counts(report: ValidationReport) -> str:
    assert report.execution is not None
    tests = len(report.execution.of_kind(BlockKind.UNIT_TEST))
    return f"{tests} tests, {len(report.submissions)} submissions"
