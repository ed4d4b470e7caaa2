"""The sandbox of tests: says what it was told to say, and starts no process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from .errors import SandboxError
from .records import Execution, Job

LEVEL: Final = "fake"


class FakeSandbox:
    """Hands each job to `script`, which answers with the facts or raises SandboxError."""

    def __init__(self, script: Callable[[Job], Execution], *, julia_version: str = "1.10.0") -> None:
        self._script = script
        self._julia_version = julia_version
        self._closed = False

    @property
    def level(self) -> str:
        return LEVEL

    @property
    def julia_version(self) -> str:
        return self._julia_version

    def execute(self, job: Job) -> Execution:
        """Return what the script says about this job."""
        if self._closed:
            raise SandboxError("this sandbox is closed")
        return self._script(job)

    def close(self) -> None:
        """End it; a later job is refused."""
        self._closed = True
