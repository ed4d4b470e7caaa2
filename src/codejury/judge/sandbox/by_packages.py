"""A server for each set of packages: what costs memory, or does not go together, is loaded only where needed.

no packages beyond the standard library    one server, started at once
DataFrames                                 a server of its own, started by the first test case that imports it
CSV, DataFrames                            another one: packages that cannot be loaded together never are
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from ...errors import SandboxError
from ...records import Execution, Job
from .protocol import Sandbox

MOST_SERVERS: Final = 2
"""With packages, beside the one without: each can hold hundreds of megabytes. The least used one ends."""

StartsServer = Callable[[tuple[str, ...]], Sandbox]
"""Starts a server that holds these packages."""


class SandboxesByPackages:
    """Sends each candidate to the server that holds what its test case imports. One candidate at a time."""

    def __init__(self, start: StartsServer, names: tuple[str, ...], packages: Mapping[str, str]) -> None:
        """`names` are what all test cases import, `packages` the versions of those that are installed."""
        self._start = start
        self.packages = packages
        self._standard = tuple(name for name in names if not self._is_installed(name))
        self._plain = start(self._standard)
        self._others: dict[tuple[str, ...], Sandbox] = {}
        """By their packages, the one used last at the end."""
        self._closed = False

    @property
    def level(self) -> str:
        return self._plain.level

    @property
    def julia_version(self) -> str:
        return self._plain.julia_version

    def execute(self, job: Job) -> Execution:
        """Run one candidate; see `Sandbox.execute`. The first one of its packages waits for their server."""
        wanted = tuple(sorted(filter(self._is_installed, set(job.test_case.imports))))
        return (self._holding(wanted) if wanted else self._plain).execute(job)

    def close(self) -> None:
        """End all servers; safe to call twice."""
        self._closed = True
        for sandbox in (self._plain, *self._others.values()):
            sandbox.close()

    def _is_installed(self, name: str) -> bool:
        """`DataFrames.PrettyTables` is as much a package as `DataFrames`."""
        return name.partition(".")[0] in self.packages

    def _holding(self, wanted: tuple[str, ...]) -> Sandbox:
        sandbox = self._others.pop(wanted, None)
        if sandbox is None:
            for unused in list(self._others)[: len(self._others) + 1 - MOST_SERVERS]:
                self._others.pop(unused).close()
            sandbox = self._start((*self._standard, *wanted))
        self._others[wanted] = sandbox
        if self._closed:  # while this one started: nothing else would end it
            self.close()
            raise SandboxError("this sandbox is closed")
        return sandbox
