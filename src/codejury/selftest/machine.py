"""What is put to the test: a Julia, a level of isolation, what this machine gives, and a sandbox on it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self

from ..errors import InputError, SandboxError
from ..judge.sandbox.factory import SandboxFactory
from ..judge.sandbox.isolation.probe import MEANS, Isolation, probe_isolation
from ..judge.sandbox.protocol import Sandbox
from ..judge.score import assess
from ..judge.toolchain.find import find_bubblewrap, find_julia
from ..judge.toolchain.julia import JuliaInstall
from ..program import command
from ..records import Execution, Job, Outcome, Snippet
from ..settings import Settings
from .attack_runner import CASE
from .checks import CheckState, Result

BEST: Final = "L3"


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """A Julia and a sandbox to be tried."""

    settings: Settings
    isolation: Isolation
    """What this machine gives."""
    julia: JuliaInstall | None
    no_julia: str = ""
    """Why there is none; "" where there is one."""
    asked: str = ""
    """The level that was asked for; "" for the best one and all below it."""

    @property
    def level(self) -> str:
        """The level at which candidates are run."""
        return self.asked or self.isolation.level

    @property
    def julia_version(self) -> str:
        return self.julia.version if self.julia else ""

    @property
    def nothing_runs_because(self) -> str:
        """Why no code can be run at all; "" where it can."""
        if self.no_julia:
            return self.no_julia
        if self.level not in MEANS:
            return f"this machine gives no isolation (level {self.level}), so no code is run"
        return self.lacks(self.level)

    def lacks(self, level: str) -> str:
        """What this machine lacks for a level; "" if nothing."""
        for check in self.isolation.checks:
            if check.name in MEANS[level] and not check.ok:
                return f"{level} is not to be had here: {check.name}: {check.detail}"
        return ""


def examine_machine(settings: Settings, *, level: str = "") -> Machine:
    """Look for Julia, and try the means of isolation. InputError if there is no such level."""
    if level and level not in MEANS:
        raise InputError(f"--level: there is no level {level!r} to judge at; choose {', '.join(MEANS)}")
    isolation = probe_isolation(bubblewrap=find_bubblewrap(settings))
    try:
        julia = find_julia(settings)
    except InputError as error:
        return Machine(settings=settings, isolation=isolation, julia=None, no_julia=str(error), asked=level)
    missing = "" if julia else f"no Julia was found; `{command('setup')}` installs one"
    return Machine(settings=settings, isolation=isolation, julia=julia, no_julia=missing, asked=level)


class SandboxUnderTest:
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


# ---- The shortest proof that judging works: one worker, one verdict.


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstVerdict:
    """How long it took until a right answer was judged right."""

    start_seconds: float
    """Until the worker was ready."""
    judge_seconds: float
    note: str
    """Why the worker is not forked, where it is not."""


def judge_once(settings: Settings) -> FirstVerdict:
    """Start a worker as judging would, and judge a right answer. SandboxError if that fails.

    Nothing is run on a machine without isolation: that is a SandboxError too.
    """
    factory = SandboxFactory(settings=settings)
    started = time.monotonic()
    try:
        sandbox = factory()
        ready = time.monotonic()
        try:
            snippet = Snippet(code=CASE.reference_solution, language="julia")
            execution = sandbox.execute(Job(test_case=CASE, snippets=(snippet,)))
            judged = time.monotonic()
        finally:
            sandbox.close()
    finally:
        factory.close()
    if assess(execution, CASE).outcome is not Outcome.PASS:
        raise SandboxError(f"a right answer was not judged right: {_first_fault(execution)}")
    return FirstVerdict(start_seconds=ready - started, judge_seconds=judged - ready, note=factory.note)


def _first_fault(execution: Execution) -> str:
    for block in execution.blocks:
        if not block.passed:
            return f"{block.kind} {block.ending}: {block.error_type} {block.message}".rstrip(" :")
    return "; ".join(execution.tampering)
