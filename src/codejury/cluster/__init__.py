"""More than one machine: sandboxes on the nodes of a Ray cluster, behind the same seam as those at home.

    Judge -> RaySandbox.execute(job) -> an actor on a node, which holds a warm fork server -> Execution

actor.py    the actor: sets its node up, keeps one sandbox, says what it is
places.py   which node has room; which nodes are refused, and why
ray_pool.py the factory of a Judge: keeps workers on the nodes and seats at home

The judge's side alone extracts, scores and writes; nothing but jobs and executions crosses the network. Ray
is imported when `open_pool` is called and not before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from ..errors import InputError

if TYPE_CHECKING:
    from .ray_pool import RayPool

ENGINES: Final = ("local", "ray")
ROOM: Final = 64
"""Workers at most, where nobody said how many."""


def check_engine(engine: str) -> None:
    if engine not in ENGINES:
        raise InputError(f"engine: cannot be {engine!r}; known: {', '.join(ENGINES)}")


def open_pool(
    address: str = "",
    *,
    most: int = ROOM,
    allow_unsafe: bool = False,
    packages: Sequence[str] = (),
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
