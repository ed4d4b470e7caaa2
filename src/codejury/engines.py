"""Where candidates run: on this machine, or spread over a Ray cluster. One judge, two kinds of sandboxes."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Final

from .cluster import ROOM, check_engine, open_pool
from .judge import Judge
from .records import Limits

LOCAL: Final = "local"


def judges_at_once(engine: str, workers: int | None, answers: int) -> int:
    """As many as were asked for, or as the engine has room for, and no more than there are answers."""
    room = ROOM if engine != LOCAL else len(os.sched_getaffinity(0))
    return max(1, min(workers or room, answers))


def open_judge(
    engine: str = LOCAL,
    *,
    workers: int,
    limits: Limits,
    allow_unsafe: bool = False,
    packages: Sequence[str] = (),
    ray_address: str = "",
    on_note: Callable[[str], None] = lambda note: None,
) -> Judge:
    """A judge for bulk work. `on_note` hears which nodes of a cluster are not used, and why."""
    check_engine(engine)
    if engine == LOCAL:
        return Judge(workers=workers, limits=limits, allow_unsafe=allow_unsafe, packages=packages)
    pool = open_pool(ray_address, most=workers, allow_unsafe=allow_unsafe, packages=packages, on_note=on_note)
    return Judge(workers=workers, limits=limits, sandbox_factory=pool)
