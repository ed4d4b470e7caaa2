"""The part that runs on a node: an actor with one warm sandbox."""

from __future__ import annotations

import socket
import threading
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from .. import __version__
from ..errors import ToolchainError
from ..records import Execution, Job, Packages
from ..settings import Settings, load_settings
from .sandbox.compiled import compile_judge
from .sandbox.factory import SandboxFactory
from .toolchain.find import find_bubblewrap, find_julia
from .toolchain.install import install_bubblewrap, install_julia


class RayWorker:
    """Made into an actor by the pool. Its node is set up before the first candidate comes."""

    def __init__(self, *, allow_unsafe: bool, packages: Packages | None) -> None:
        set_up(load_settings())
        self._factory = SandboxFactory(allow_unsafe=allow_unsafe, packages=packages)
        self._sandbox = self._factory()

    def facts(self) -> tuple[WorkerFacts, str]:
        """What it is, and the name of its machine."""
        facts = WorkerFacts(
            level=self._sandbox.level,
            julia_version=self._sandbox.julia_version,
            codejury_version=__version__,
            packages=tuple(sorted(getattr(self._sandbox, "packages", {}).items())),
        )
        return facts, socket.gethostname()

    def execute(self, job: Job) -> Execution:
        return self._sandbox.execute(job)

    def close(self) -> None:
        self._sandbox.close()
        self._factory.close()


def set_up(settings: Settings) -> None:
    """What `codejury setup` does, without words. A node without bubblewrap reports a lower level."""
    if find_julia(settings) is None:
        install_julia(settings.cache, _quietly)
    if find_bubblewrap(settings) is None:
        with suppress(ToolchainError):
            install_bubblewrap(settings.cache, _quietly)
    if (julia := find_julia(settings)) is not None:
        with suppress(ToolchainError):
            compile_judge(julia, settings.cache, _quietly)


def _quietly(message: str, fraction: float | None) -> None:
    """On a node there is no console to show it."""


# ---- Which node has room for one more worker. Knows nothing of Ray: it is told what nodes there are.


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerFacts:
    """What a worker is, as far as verdicts depend on it."""

    level: str
    julia_version: str
    codejury_version: str
    packages: tuple[tuple[str, str], ...] = ()
    """Julia packages with their versions."""

    def __str__(self) -> str:
        packages = ", ".join(f"{name} {version}" for name, version in self.packages)
        julia = f"Julia {self.julia_version}" + (f" with {packages}" if packages else "")
        return f"{julia}, isolation {self.level}, codejury {self.codejury_version}"


class Places:
    """Counts workers per node. Safe to use from many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._taken: Counter[str] = Counter()
        self._refused: dict[str, str] = {}
        self._standard: WorkerFacts | None = None

    @property
    def taken(self) -> Counter[str]:
        """Workers by node."""
        with self._lock:
            return +self._taken

    def take(self, processors: Mapping[str, int]) -> str | None:
        """A node with room, the emptiest first; None if all are full. `processors`: of each node."""
        with self._lock:
            free = {
                node: most - self._taken[node]
                for node, most in processors.items()
                if node not in self._refused
            }
            node = max(free, key=lambda name: (free[name], name), default=None)
            if node is None or free[node] < 1:
                return None
            self._taken[node] += 1
            return node

    def give_back(self, node: str) -> None:
        with self._lock:
            self._taken[node] -= 1

    def refuse(self, node: str, reason: str) -> bool:
        """Never use this node again. Whether that is news."""
        with self._lock:
            is_new = node not in self._refused
            self._refused.setdefault(node, reason)
            return is_new

    def why_none(self, processors: Mapping[str, int]) -> str:
        """Why there will never be room as things are: "" while a node is left that could take a worker."""
        with self._lock:
            if not processors or any(node not in self._refused for node in processors):
                return ""
            return "\n".join(sorted({self._refused[node] for node in processors}))

    def differs(self, facts: WorkerFacts) -> str:
        """How a worker differs from the first one; "" if it does not. The first one sets the standard."""
        with self._lock:
            self._standard = self._standard or facts
            return "" if facts == self._standard else f"it has {facts}; the others have {self._standard}"
