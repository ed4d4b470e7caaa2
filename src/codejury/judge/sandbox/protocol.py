"""The interface between the judge and whatever runs Julia code."""

from __future__ import annotations

from typing import Protocol

from ...records import Execution, Job


class Sandbox(Protocol):
    """Runs candidates one after the other and reports facts. Not safe to share between threads."""

    @property
    def level(self) -> str:
        """The isolation it gives: `L3`, `L2.5`, `L2`, `L1`, or `fake`."""

    @property
    def julia_version(self) -> str: ...

    def execute(self, job: Job) -> Execution:
        """Run one candidate against its test case.

        Never raises for anything the candidate does; SandboxError if the sandbox itself broke.
        """

    def close(self) -> None:
        """End all processes and remove all scratch. Safe to call twice."""
