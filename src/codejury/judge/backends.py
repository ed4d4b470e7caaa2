"""Where candidates run: on this machine, or spread over a Ray cluster. One judge, two kinds of sandboxes."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..errors import InputError
from ..options import JudgeOptions
from ..records import Packages
from ..settings import load_settings
from .judge import Judge
from .sandbox.factory import SandboxFactory
from .sandbox.protocol import Sandbox

if TYPE_CHECKING:
    from .ray_pool import RayPool


LOCAL: Final = "local"
ROOM: Final = 64
"""The most workers, where no number was given."""
FEW: Final = 32
"""Candidates of a command up to which a warm judge is worth it; for more, one of its own starts."""


def judges_at_once(options: JudgeOptions, answers: int | None = None) -> int:
    """As many as were asked for, or as the engine has room for, and no more than there are answers."""
    room = ROOM if options.engine != LOCAL else len(os.sched_getaffinity(0))
    most = options.workers or room
    return most if answers is None else max(1, min(most, answers))


def open_judge(
    options: JudgeOptions,
    *,
    answers: int | None = None,
    packages: Packages | None = None,
    julia: Path | None = None,
    stay_warm: bool = False,
    on_note: Callable[[str], None] = lambda note: None,
) -> Judge:
    """A judge for so many answers, by the Julia that is found or another one.

    `on_note` hears which nodes of a cluster are not used, and why. The packages come from the environment of
    the options, if they name one. With `stay_warm`, few answers go to a judge that lives on for the next
    command, where there can be one.
    """
    workers = judges_at_once(options, answers)
    if packages and options.environment:
        packages = replace(packages, environment=options.environment.absolute())
    unsafe = options.allow_unsafe
    factory: Callable[[], Sandbox]
    if options.engine == LOCAL:
        settings = replace(load_settings(), julia=str(julia)) if julia else load_settings()
        if stay_warm and settings.warm_minutes and answers is not None and answers <= FEW:
            from .warm.client import WarmFactory

            factory = WarmFactory(allow_unsafe=unsafe, packages=packages or Packages(), settings=settings)
        else:
            factory = SandboxFactory(allow_unsafe=unsafe, packages=packages, settings=settings)
    else:
        factory = open_pool(
            options.ray_address, most=workers, allow_unsafe=unsafe, packages=packages, on_note=on_note
        )
    return Judge(workers=workers, limits=options.limits, sandbox_factory=factory)


# ---- More than one machine: sandboxes on the nodes of a Ray cluster, behind the same seam as those at home.


def open_pool(
    address: str = "",
    *,
    most: int = ROOM,
    allow_unsafe: bool = False,
    packages: Packages | None = None,
    on_note: Callable[[str], None] = lambda note: None,
) -> RayPool:
    """Connect to a cluster: the one at `address`, else the one Ray knows of, else one on this machine."""
    try:
        from .ray_pool import RayPool
    except ModuleNotFoundError as error:
        if error.name != "ray":
            raise
        raise InputError("--engine ray needs Ray: python -m pip install 'codejury[ray]'") from None
    return RayPool(address, most=most, allow_unsafe=allow_unsafe, packages=packages, on_note=on_note)
