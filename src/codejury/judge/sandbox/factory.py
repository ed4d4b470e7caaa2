"""The best sandbox this machine can give: which Julia, which level, which runner."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path

from ...errors import InputError, SandboxError, ToolchainError
from ...program import command
from ...records import Packages
from ...settings import Settings, load_settings
from ..toolchain.environment import with_packages
from ..toolchain.find import find_bubblewrap, find_julia
from ..toolchain.julia import JuliaInstall
from ..toolchain.paths import Cache, hold
from .by_packages import SandboxesByPackages
from .compiled import find_compiled
from .forkserver import CannotFork, ForkServerSandbox
from .isolation.probe import Isolation, probe_isolation
from .launch import Plan, make_plan
from .oneshot import OneShotSandbox
from .protocol import Sandbox
from .scratch import HostScratch
from .timeout_fairness import RunScheduler

UNSAFE_LEVEL = "L1"
PLUG_INS = "codejury.sandboxes"


@dataclass(frozen=True, slots=True)
class Decision:
    """What all sandboxes of a factory have in common."""

    level: str
    julia: JuliaInstall
    bubblewrap: Path | None


class SandboxFactory:
    """Makes sandboxes that share one decision about Julia, level and runner. Safe to call from threads."""

    def __init__(
        self,
        *,
        allow_unsafe: bool = False,
        packages: Packages | None = None,
        level: str | None = None,
        cold: bool = False,
        settings: Settings | None = None,
    ) -> None:
        """`level` asks for less isolation than the machine gives; `cold` for one process per candidate."""
        self._allow_unsafe = allow_unsafe
        self._packages = packages or Packages()
        self._level = level
        self._cold = cold
        self._settings = settings or load_settings()
        self._scheduler = RunScheduler()
        self._cancelled = threading.Event()
        self._lock = threading.Lock()
        self._decided: Decision | None = None
        self._scratches: list[HostScratch] = []
        self._plans: list[Plan] = []
        self._holds: list[Callable[[], object]] = []
        """Each lets go of something in our cache; one that is never closed does so when it is collected."""
        self.note = ""
        """Why the fork server is not used, where it is not."""

    def __call__(self) -> Sandbox:
        if self._settings.sandbox:
            return _plugged_in(self._settings.sandbox)()
        plan, names = self._plan(), self._packages.names
        if self._cold or not plan.packages:
            return self._start(plan, names)
        return SandboxesByPackages(lambda wanted: self._start(plan, wanted), names, plan.packages)

    def server(self, names: tuple[str, ...]) -> Sandbox:
        """One server that holds these packages, whatever test cases it gets."""
        return self._start(self._plan(), names)

    def _start(self, plan: Plan, names: tuple[str, ...]) -> Sandbox:
        """A server that holds these packages; where it cannot be forked, a process for each candidate."""
        if not self._cold:
            try:
                return ForkServerSandbox(
                    plan, packages=names, scheduler=self._scheduler, cancelled=self._cancelled
                )
            except CannotFork as error:
                self.note = f"one process per candidate: {error}"
                # A package can forbid it, by starting threads for example; other servers still work then.
                self._cold = not any(name.partition(".")[0] in plan.packages for name in names)
        return OneShotSandbox(plan, scheduler=self._scheduler, note=self.note)

    def cancel(self) -> None:
        """Give up sandboxes that are still starting: they are not needed any more."""
        self._cancelled.set()

    def close(self) -> None:
        """Remove the scratch folders it made, and what else its sandboxes shared. Close those first."""
        for plan in self._plans:
            plan.close()
        for scratch in self._scratches:
            scratch.close()
        self._plans, self._scratches = [], []
        for let_go in self._holds:
            let_go()

    @property
    def decision(self) -> Decision:
        """Made once; ToolchainError or SandboxError where nothing can be run."""
        with self._lock:
            self._decided = self._decided or self._decide()
            return self._decided

    def _plan(self) -> Plan:
        decided = self.decision
        with self._lock:
            plan = make_plan(
                decided.level,
                decided.julia,
                bubblewrap=decided.bubblewrap,
                host_scratch=self._scratch,
                compiled=find_compiled(decided.julia, self._settings.cache),
            )
            self._plans.append(plan)
            return plan

    def _scratch(self) -> Path:
        self._scratches.append(HostScratch())
        return self._scratches[-1].folder

    def _decide(self) -> Decision:
        julia = find_julia(self._settings)
        if julia is None:
            raise ToolchainError(f"no Julia was found; `{command('setup')}` installs one")
        julia = with_packages(julia, self._packages.environment, self._settings.cache)
        bubblewrap = find_bubblewrap(self._settings)
        isolation = probe_isolation(bubblewrap=bubblewrap)
        level = self._level or isolation.level
        if level == UNSAFE_LEVEL and not self._allow_unsafe:
            raise SandboxError(_refusal(isolation))
        cache = Cache(self._settings.cache)
        for folder in (julia.launcher.parent, *julia.package_roots):
            if folder.parent in (cache.julia, cache.packages):  # `codejury setup --force` would replace it
                self._holds.append(weakref.finalize(self, os.close, hold(folder)))
        return Decision(level, julia, bubblewrap)


def _plugged_in(name: str) -> Callable[[], Sandbox]:
    """The sandbox that another package offers under this name (see docs/sandbox.md)."""
    offers = {offer.name: offer for offer in entry_points(group=PLUG_INS)}
    if name not in offers:
        known = ", ".join(sorted(offers)) or "none"
        raise InputError(f"CODEJURY_SANDBOX: no sandbox {name!r} is installed; installed: {known}")
    maker: Callable[[], Sandbox] = offers[name].load()
    return maker


def _refusal(isolation: Isolation) -> str:
    """Why nothing is run on a machine without isolation, and what would help."""
    repairs = "\n".join(f"  {check.name}: {check.repair}" for check in isolation.checks if check.repair)
    return (
        "this machine gives no isolation (level L1), so no code was run. What would help:\n"
        f"{repairs}\nOr accept the risk with --allow-unsafe: candidates could then read your files and keys."
    )
