"""One cold Julia process per candidate: a second slower each, and nothing is forked.

Used where a Julia cannot be forked safely, and as the measure of what the fork server saves.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from ...errors import SandboxError
from ...records import Execution, Job, Limits
from .execution import execute
from .launch import Plan
from .measuring import with_performance
from .proof import failing_parts
from .referee import Referee
from .run import OnFrame, Run, Task, ignore_frames
from .scratch import empty_folder
from .timeout_fairness import RunScheduler
from .watch import WorkerLost
from .worker import Worker


class OneShotSandbox:
    """Starts Julia anew for every run. Not safe to share between threads."""

    def __init__(self, plan: Plan, *, scheduler: RunScheduler | None = None, note: str = "") -> None:
        """Prove that candidates can run. SandboxError, with what does not work, if they cannot.

        `note` goes into every execution: why a worker was not forked, where that was wanted.
        """
        self._plan = plan
        self._note = note
        self._scheduler = scheduler or RunScheduler()
        self._closed = False
        with cold_worker(plan) as worker:
            self.julia_version = worker.julia_version
            failing = failing_parts(worker.run_alone)
        if failing:
            raise SandboxError(
                f"Julia {self.julia_version} does not work in the sandbox ({plan.level}): "
                + "; ".join(failing)
            )
        self._referee = Referee(lambda: start_referee(plan))

    @property
    def level(self) -> str:
        return self._plan.level

    @property
    def packages(self) -> Mapping[str, str]:
        return self._plan.packages

    def execute(self, job: Job) -> Execution:
        """Run one candidate; see `Sandbox.execute`."""
        if self._closed:
            raise SandboxError("this sandbox is closed")
        execution = execute(
            job,
            self._run_fairly,
            level=self.level,
            julia_version=self.julia_version,
            quick=False,  # a second process would take longer than compiling does
        )
        execution = with_performance(execution, job, self._run_measuring)
        return replace(execution, notes=(*execution.notes, self._note)) if self._note else execution

    def close(self) -> None:
        """Refuse further candidates; nothing but the referee is kept between them."""
        self._closed = True
        self._referee.close()

    def _run_measuring(self, task: Task, limits: Limits) -> Run:
        return run_in_cold_process(self._plan.optimized, task, limits, ignore_frames, self._referee)

    def _run_fairly(self, task: Task, limits: Limits, *, counts: bool) -> Run:
        return self._scheduler.run_fairly(
            lambda limits, on_frame: run_in_cold_process(self._plan, task, limits, on_frame, self._referee),
            limits,
            counts=counts,
        )


def run_in_cold_process(plan: Plan, task: Task, limits: Limits, on_frame: OnFrame, referee: Referee) -> Run:
    """Run one task in a Julia process of its own, which ends with it."""
    with cold_worker(plan) as worker:
        return worker.run_alone(task, limits, on_frame, referee)


def start_referee(
    plan: Plan, packages: Sequence[str] = (), cancelled: threading.Event | None = None
) -> Worker:
    """A Julia that decides and runs no candidate, in a sandbox like theirs all the same.

    It is not rehearsed: what it compiles for the first test it keeps for all that follow.
    """
    settings = plan.settings(rehearse=False, fork=False, packages=packages)
    return Worker(plan.launch, settings, mode="referee", cancelled=cancelled)


@contextmanager
def cold_worker(plan: Plan) -> Iterator[Worker]:
    """A Julia that judges a single job and is gone afterwards, with what the job left in its scratch."""
    worker = Worker(plan.launch, plan.settings(rehearse=False, fork=False, packages=()), mode="once")
    try:
        yield worker
    except WorkerLost:
        raise SandboxError("the sandboxed process could not be stopped") from None
    finally:
        worker.close()
        if plan.host_scratch is not None:
            empty_folder(plan.host_scratch)
