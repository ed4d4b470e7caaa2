"""The part that runs on a node: an actor with one warm sandbox."""

from __future__ import annotations

import socket
from contextlib import suppress

from .. import __version__
from ..errors import ToolchainError
from ..records import Execution, Job
from ..sandbox import SandboxFactory
from ..sandbox.compiled import compile_judge
from ..settings import Settings, load_settings
from ..toolchain import find_bubblewrap, find_julia, install_bubblewrap, install_julia
from .places import Facts


class Worker:
    """Made into an actor by the pool. Its node is set up before the first candidate comes."""

    def __init__(self, *, allow_unsafe: bool, packages: tuple[str, ...]) -> None:
        set_up(load_settings())
        self._factory = SandboxFactory(allow_unsafe=allow_unsafe, packages=packages)
        self._sandbox = self._factory()

    def facts(self) -> tuple[Facts, str]:
        """What it is, and the name of its machine."""
        facts = Facts(
            level=self._sandbox.level,
            julia_version=self._sandbox.julia_version,
            codejury_version=__version__,
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
    """Nobody watches a node."""
