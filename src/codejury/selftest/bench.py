"""A sandbox that one trial opens, and that the trials after it use."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from ..judge.sandbox.factory import SandboxFactory
from ..judge.sandbox.protocol import Sandbox
from .checks import CheckState, Result
from .machine import Machine


class Bench:
    """Opens one sandbox as judging would, and gives everything back at the end. A context manager."""

    def __init__(self, machine: Machine, *, level: str = "", cold: bool = False) -> None:
        """`level` instead of the machine's; `cold` for one process per candidate."""
        self._factory = SandboxFactory(level=level or machine.level, cold=cold, settings=machine.settings)
        self._cold = cold
        self.sandbox: Sandbox | None = None

    def open(self) -> Result:
        """Start a worker, which proves itself. Having to do without forking is a failure, with its reason."""
        try:
            self.sandbox = self._factory()
        except Exception:
            self.close()
            raise
        if self._factory.note:
            return CheckState.FAILED, self._factory.note
        how = "one process per candidate" if self._cold else "forked"
        return CheckState.PASSED, f"Julia {self.sandbox.julia_version}, {how}"

    def close(self) -> None:
        if self.sandbox is not None:
            self.sandbox.close()
            self.sandbox = None
        self._factory.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
