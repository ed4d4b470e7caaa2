"""How Julia is started at each level of isolation.

L3, L2.5   inside bubblewrap: Julia and its libraries read-only, nothing else of the host
L2         each candidate under Landlock: reads Julia, writes one scratch folder
L1         a clean environment and limits: only where the user insists
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from ..toolchain.julia import JuliaInstall
from .compiled import JULIA_CODE, OPTIMIZED, UNOPTIMIZED, worker_command, worker_environment
from .isolation.bubblewrap import STEP_DOWN, TMP, bubblewrap_command, must_step_down
from .isolation.landlock import make_ruleset
from .isolation.seccomp import candidate_filter
from .wire import Item, encode
from .worker import Launch

NO_RULESET: Final = -1
OTHER_SCRATCH: Final = Path("/scratch")
TMP_MB: Final = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A level of isolation made concrete."""

    level: str
    launch: Launch
    namespaces: bool
    """Whether each candidate gets its own."""
    seccomp: bytes
    scratch: Path
    """Where a candidate may write, as it sees it."""
    host_scratch: Path | None = None
    """The same as we see it, where it is ours to empty."""
    packages: Mapping[str, str] = field(default_factory=dict)
    """Versions by name of the packages that a candidate finds."""
    landlock: int = NO_RULESET
    """The descriptor of the rules that a candidate's process puts on itself."""

    @property
    def optimized(self) -> Plan:
        """The same with Julia's optimizer on: what is compiled takes longer, and runs as users run it."""
        command = [OPTIMIZED if part == UNOPTIMIZED else part for part in self.launch.command]
        return replace(self, launch=replace(self.launch, command=command))

    def settings(self, *, rehearse: bool, fork: bool, packages: Sequence[str]) -> list[Item]:
        """The first message to a worker (see `read_settings` in julia/server.jl)."""
        flags = ("0", "1")
        return [
            flags[self.namespaces],
            self.seccomp,
            str(self.scratch),
            str(TMP_MB),
            flags[rehearse],
            flags[fork],
            encode(packages),
            str(self.landlock),
        ]

    def close(self) -> None:
        """Give back what was opened for it."""
        if self.landlock != NO_RULESET:
            os.close(self.landlock)


def make_plan(
    level: str,
    julia: JuliaInstall,
    *,
    bubblewrap: Path | None,
    host_scratch: Callable[[], Path],
    compiled: Path | None = None,
) -> Plan:
    """The plan for a level that works here; `host_scratch` makes a folder where one is needed."""
    needed = [*julia.roots, *julia.package_roots, JULIA_CODE, *([compiled] if compiled else [])]
    command = worker_command(julia, compiled)
    if level in ("L3", "L2.5"):
        assert bubblewrap is not None
        plan = _inside_bubblewrap(level, julia, bubblewrap, needed, command)
    else:
        plan = _on_the_host(level, julia, host_scratch(), needed, command)
    return replace(plan, packages={package.name: package.version for package in julia.packages})


def _inside_bubblewrap(
    level: str, julia: JuliaInstall, bubblewrap: Path, readonly: list[Path], julia_command: list[str]
) -> Plan:
    # Each candidate gets a scratch of its own, mounted over the shared one: it must not hide Julia.
    scratch = OTHER_SCRATCH if any(path.is_relative_to(TMP) for path in readonly) else TMP
    command = bubblewrap_command(
        bubblewrap,
        readonly=readonly,
        scratch=scratch,
        tmp_mb=TMP_MB,
        environment=worker_environment(julia, scratch),
        command=julia_command,
        step_down=must_step_down(),
    )
    own_namespaces = level == "L3"
    return Plan(
        level=level,
        launch=Launch(command=command, environment={}),
        namespaces=own_namespaces,
        seccomp=candidate_filter(allow_signals=own_namespaces, sockets="unix"),
        scratch=scratch,
    )


def _on_the_host(
    level: str, julia: JuliaInstall, scratch: Path, needed: list[Path], command: list[str]
) -> Plan:
    readable = [*needed, Path("/proc"), Path("/dev/null"), Path("/dev/urandom")]
    if must_step_down():
        revealed = [*needed, scratch]
        command = [
            sys.executable,
            "-I",
            "-S",
            str(STEP_DOWN),
            "--reveal",
            *map(str, revealed),
            "--",
            *command,
        ]
    landlock = make_ruleset([str(path) for path in readable], [str(scratch)]) if level == "L2" else NO_RULESET
    return Plan(
        level=level,
        launch=Launch(
            command=command, environment=worker_environment(julia, scratch), descriptors=(landlock,)
        ),
        namespaces=False,
        seccomp=candidate_filter(allow_signals=False, sockets="pairs", landlocked=True)
        if level == "L2"
        else b"",
        scratch=scratch,
        host_scratch=scratch,
        landlock=landlock,
    )
