"""What validation has to say.

ValidationReport
    problems            what its author has to mend: errors and warnings of shape, then what the runs brought
    missing_packages    Julia packages it needs that are not installed: nothing was learned about it
    unchecked_because   in words, why nothing was learned; "" where the answer is known
    submissions         how the solutions beside it did
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from ..definitions import SubmissionKind
from ..errors import Problem, Severity
from ..records import Execution


class Status(StrEnum):
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

    @property
    def ok(self) -> bool | None:
        """Whether it did what its folder says; None if nothing was learned."""
        return None if self.unchecked_because else not self.problems


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
    def status(self) -> Status:
        if not self.readable:
            return Status.UNREADABLE
        if any(problem.is_error for problem in self.problems):
            return Status.INVALID
        if self.problems:
            return Status.WARNED
        return Status.UNCHECKED if self.unchecked_because else Status.VALID

    @property
    def valid(self) -> bool:
        return self.status is Status.VALID

    @property
    def can_run(self) -> bool:
        """Whether the shape lets the reference solution sit the exam."""
        fields = {problem.field for problem in self.problems}
        return self.readable and self.status is not Status.INVALID and "reference_solution" not in fields

    def without_warnings(self) -> ValidationReport:
        """The report for those who ask for nothing but errors."""
        return replace(self, problems=tuple(problem for problem in self.problems if problem.is_error))

    @property
    def only_lacks_packages(self) -> bool:
        """Nothing is known to be wrong with it, and it could be checked where its packages are."""
        return self.status is Status.UNCHECKED and bool(self.missing_packages)
