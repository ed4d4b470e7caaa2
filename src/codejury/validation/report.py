"""What validation has to say.

ValidationReport
    problems            what its author has to mend: faults of shape, or blocks a solution does not pass
    missing_packages    Julia packages it needs that are not installed: nothing was learned about it
    unchecked_because   in words, why nothing was learned; "" where the answer is known
    submissions         how the solutions beside it did
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from ..definitions import SubmissionKind
from ..errors import Problem
from ..records import Execution


class Status(StrEnum):
    VALID = "valid"
    INVALID = "invalid"
    UNCHECKED = "unchecked"  # cannot be checked here: a package is missing, or the sandbox broke
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunProblem(Problem):
    """A problem that running a solution brought to light; `code` is the block that failed."""

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
        if self.problems:
            return Status.INVALID
        return Status.UNCHECKED if self.unchecked_because else Status.VALID

    @property
    def valid(self) -> bool:
        return self.status is Status.VALID

    @property
    def only_lacks_packages(self) -> bool:
        """Nothing is known to be wrong with it, and it could be checked where its packages are."""
        return self.status is Status.UNCHECKED and bool(self.missing_packages)
