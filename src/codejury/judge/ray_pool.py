"""The factory of a judge whose candidates run on a Ray cluster.

    seats      one for each candidate that is judged at once: the judge's sandboxes, light, on this machine
    workers    actors, one for each processor of a node, each with a warm sandbox: the seats borrow them

A thread looks at the cluster every second: it starts workers where there is room, so nodes that join are
used, and takes none from a node that differs. A candidate whose worker was lost is given to another; a second
loss is its verdict, as it is for a worker at home.
"""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, Final
from urllib.parse import urlsplit

import ray
from ray.exceptions import RayError, RayTaskError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from ..errors import CodejuryError, InputError, SandboxError
from ..records import Execution, Job, Limits, Packages
from ..settings import load_settings
from .ray_nodes import Places, RayWorker, WorkerFacts
from .sandbox.execution import execute
from .sandbox.run import LOST_TWICE, Run, Task

PATIENCE: Final = 10.0
"""Seconds for a cluster to accept a connection."""
LOOK_AGAIN: Final = 1.0
"""Seconds between two looks at the cluster."""


@dataclass(frozen=True, slots=True)
class StartedWorker:
    """A worker, and where it works."""

    actor: Any
    node: str


class RayPool:
    """Makes seats, and keeps workers for them. Safe to call from threads; `close` ends all of it."""

    def __init__(
        self,
        address: str = "",
        *,
        most: int,
        allow_unsafe: bool = False,
        packages: Packages | None = None,
        on_note: Callable[[str], None] = lambda note: None,
        worker: type = RayWorker,
    ) -> None:
        """At most so many workers, however big the cluster is. `on_note` hears of nodes that are not used."""
        self._worker: Any = ray.remote(worker)
        self._most = most
        self._wants = {"allow_unsafe": allow_unsafe, "packages": packages}
        self._on_note = on_note
        self._places = Places()
        self._free: SimpleQueue[StartedWorker] = SimpleQueue()
        self._starting: dict[Any, StartedWorker] = {}
        self._facts: Future[WorkerFacts] = Future()
        self._hopeless = ""
        self._cancelled = threading.Event()
        self._is_ours = not ray.is_initialized()
        if self._is_ours:
            connect(address)
        self._starter = threading.Thread(target=self._start_workers, name="codejury-starter", daemon=True)
        self._starter.start()

    def __call__(self) -> RaySandbox:
        return RaySandbox(self, self._facts.result())

    @property
    def workers(self) -> Counter[str]:
        """How many each node has, at work or ready to be; those that are starting do not count."""
        return self._places.taken - Counter(started.node for started in list(self._starting.values()))

    def borrow(self) -> StartedWorker:
        """A worker that is free; waits until there is one."""
        while True:
            with contextlib.suppress(Empty):
                return self._free.get(timeout=LOOK_AGAIN)
            if self._hopeless or self._cancelled.is_set():
                raise SandboxError(self._hopeless or "the cluster was given up")

    def give_back(self, started: StartedWorker) -> None:
        self._free.put(started)

    def lost(self, started: StartedWorker) -> None:
        """Its processor is free for another worker, if its node is still there."""
        with contextlib.suppress(RayError, ValueError):
            ray.kill(started.actor)
        self._places.give_back(started.node)

    def cancel(self) -> None:
        """Give up workers that are still starting."""
        self._cancelled.set()
        self._give_up("the cluster was given up")

    def close(self) -> None:
        """End all workers, and leave the cluster if we joined it."""
        self.cancel()
        self._starter.join()
        with contextlib.suppress(Empty):
            while True:
                self._end(self._free.get_nowait())
        if self._is_ours and ray.is_initialized():
            ray.shutdown()

    def _end(self, started: StartedWorker) -> None:
        with contextlib.suppress(RayError):
            ray.get(started.actor.close.remote(), timeout=10)
        self.lost(started)

    # The thread that starts workers

    def _start_workers(self) -> None:
        try:
            while not self._cancelled.is_set():
                here = processors()
                self._start_where_there_is_room(here)
                self._accept_ready_workers()
                if not self._starting and (reason := self._places.why_none(here)):
                    self._give_up(f"no node of the cluster can judge:\n{reason}")
        except RayError as error:
            self._give_up(f"the cluster is gone: {first_line(error)}")
        for started in self._starting.values():
            self.lost(started)

    def _start_where_there_is_room(self, here: dict[str, int]) -> None:
        while self._places.taken.total() < self._most and (node := self._places.take(here)) is not None:
            place = NodeAffinitySchedulingStrategy(node, soft=False)
            maker = self._worker.options(num_cpus=1, max_restarts=0, scheduling_strategy=place)
            actor = maker.remote(**self._wants)
            self._starting[actor.facts.remote()] = StartedWorker(actor, node)

    def _accept_ready_workers(self) -> None:
        """A node may have to fetch Julia first, so some are ready long before others."""
        if not self._starting:
            self._cancelled.wait(LOOK_AGAIN)
            return
        for promise in ray.wait(list(self._starting), timeout=LOOK_AGAIN)[0]:
            started = self._starting.pop(promise)
            try:
                facts, machine = ray.get(promise)
                reason = self._places.differs(facts)
            except RayError as error:
                machine, reason = machine_of(started.node), why(error)
            self._refuse(started, machine, reason) if reason else self._accept(started, facts)

    def _accept(self, started: StartedWorker, facts: WorkerFacts) -> None:
        self._hopeless = ""
        with contextlib.suppress(InvalidStateError):
            self._facts.set_result(facts)
        self._free.put(started)

    def _refuse(self, started: StartedWorker, machine: str, reason: str) -> None:
        self.lost(started)
        if started.node in processors() and self._places.refuse(started.node, f"{machine}: {reason}"):
            self._on_note(f"{machine} is not used: {reason}")

    def _give_up(self, reason: str) -> None:
        self._hopeless = reason
        with contextlib.suppress(InvalidStateError):
            self._facts.set_exception(SandboxError(reason))


class RaySandbox:
    """A sandbox whose candidates run on whichever node is free. Not safe to share between threads."""

    def __init__(self, pool: RayPool, facts: WorkerFacts) -> None:
        self._pool = pool
        self._closed = False
        self.level = facts.level
        self.julia_version = facts.julia_version
        self.packages = dict(facts.packages)

    def execute(self, job: Job) -> Execution:
        """Run one candidate; see `Sandbox.execute`."""
        if self._closed:
            raise SandboxError("this sandbox is closed")
        for _ in range(2):
            if (execution := self._try(job)) is not None:
                return execution
        return execute(job, _lost_twice, level=self.level, julia_version=self.julia_version)

    def close(self) -> None:
        """Its workers are the pool's."""
        self._closed = True

    def _try(self, job: Job) -> Execution | None:
        """None if the worker was lost."""
        started = self._pool.borrow()
        try:
            execution: Execution = ray.get(started.actor.execute.remote(job))
        except RayTaskError as error:
            self._pool.give_back(started)
            raise SandboxError(why(error)) from None
        except RayError:
            self._pool.lost(started)
            return None
        except BaseException:
            self._pool.lost(started)  # it is busy still
            raise
        self._pool.give_back(started)
        return execution


def _lost_twice(task: Task, limits: Limits, *, counts: bool) -> Run:
    return LOST_TWICE


def connect(address: str) -> None:
    """Join a cluster, or start one here where none is known."""
    known = address or load_settings().ray_address
    _knock_at(known)
    options: dict[str, Any] = {"address": known} if known else {"include_dashboard": False}
    try:
        ray.init(**options, log_to_driver=False, logging_level=logging.ERROR)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise _unreachable(known or "this machine", first_line(error)) from None


def _knock_at(address: str) -> None:
    """Ray itself tries an address where nobody answers for minutes."""
    try:
        place = urlsplit(address if "//" in address else f"//{address}")
        if place.hostname and place.port:
            socket.create_connection((place.hostname, place.port), timeout=PATIENCE).close()
    except (OSError, ValueError) as error:
        raise _unreachable(address, first_line(error)) from None


def _unreachable(where: str, reason: str) -> InputError:
    return InputError(f"--ray-address: cannot reach a Ray cluster at {where}: {reason}")


def processors() -> dict[str, int]:
    """The processors of every node that is alive, by the node's id."""
    return {
        node["NodeID"]: int(node["Resources"].get("CPU", 0))
        for node in nodes()
        if node["Alive"] and node["Resources"].get("CPU", 0) >= 1
    }


def nodes() -> list[dict[str, Any]]:
    known: list[dict[str, Any]] = ray.nodes()  # type: ignore[no-untyped-call]
    return known


def machine_of(node: str) -> str:
    return next((str(known["NodeManagerHostname"]) for known in nodes() if known["NodeID"] == node), node)


def why(error: RayError) -> str:
    """What went wrong there, without the traceback that came along."""
    cause = getattr(error, "cause", None)
    if isinstance(cause, CodejuryError):
        return str(cause)
    text = str(error)
    if "ModuleNotFoundError" in text and "codejury" in text:
        return "codejury is not installed there: python -m pip install 'codejury[ray]'"
    return next((line for line in reversed(text.splitlines()) if line.strip()), type(error).__name__).strip()


def first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
