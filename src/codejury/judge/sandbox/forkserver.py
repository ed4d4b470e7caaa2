"""The fork server: one warm Julia, one forked and locked-down child per candidate."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from ...errors import SandboxError
from ...records import Execution, Job, Limits
from .execution import execute
from .launch import Plan
from .measuring import with_performance
from .oneshot import run_in_cold_process, start_referee
from .proof import PROOF_LIMITS, failing_parts, proof_task
from .referee import Referee
from .run import LOST_TWICE, OnFrame, Run, Task
from .scratch import empty_folder
from .timeout_fairness import RunScheduler
from .watch import WorkerLost
from .worker import Worker

MANY_JOBS = 8
"""From which on memory is compacted: it takes most of a second, and saves some 15 milliseconds a job."""
VERY_MANY_JOBS = 100
"""From which on what answers are made of is compiled in advance: two seconds, for some milliseconds a job."""
AGAIN_AFTER = 1000
"""Jobs until memory is compacted again: what a server writes while a child lives splits its huge pages."""


SECOND_PROOF = (
    "struct Other{T}; x::T; end\nshown(o::Other{T}) where T = reverse(string(o.x, 7))\nshown(Other(1.5))"
)


class CannotFork(SandboxError):  # noqa: N818 - a finding, answered by another runner
    """The start-up proof failed; candidates must run in processes of their own."""


class ForkServerSandbox:
    """Keeps a warm worker and replaces it when it is lost. Not safe to share between threads."""

    def __init__(
        self,
        plan: Plan,
        *,
        packages: Sequence[str] = (),
        scheduler: RunScheduler | None = None,
        cancelled: threading.Event | None = None,
    ) -> None:
        """Start a worker and prove that it can fork. CannotFork if not; `cancelled` ends the wait for it."""
        self._plan = plan
        self._cancelled = cancelled
        self._closed = False
        self._packages = tuple(packages)
        self._scheduler = scheduler or RunScheduler()
        self._jobs = 0
        self._measuring: Worker | None = None
        """Another server, with Julia's optimizer on; started by the first candidate that is measured."""
        self._crash = ""
        """How the last run that crashed ended, "" if none of this candidate's did."""
        with ThreadPoolExecutor(1) as pool:  # both take seconds to start
            referee = pool.submit(Referee, self._start_referee)
            try:
                self._worker = self._start()
            except SandboxError:
                if referee.exception() is None:
                    referee.result().close()
                raise
        try:
            self._referee = referee.result()
        except SandboxError:
            self._worker.close()
            raise
        self.julia_version = self._worker.julia_version
        self._prove()

    @property
    def level(self) -> str:
        return self._plan.level

    @property
    def packages(self) -> Mapping[str, str]:
        return self._plan.packages

    @property
    def worker_pid(self) -> int:
        """The process that is warm at the moment; another one after a loss."""
        return self._worker.pid

    def execute(self, job: Job) -> Execution:
        """Run one candidate; see `Sandbox.execute`."""
        if self._closed:
            raise SandboxError("this sandbox is closed")
        self._crash = ""
        forked = execute(job, self._run_fairly, level=self.level, julia_version=self.julia_version)
        execution = self._repeated_cold(job, forked) if self._crash else forked
        return with_performance(execution, job, self._run_measuring)

    def _repeated_cold(self, job: Job, forked: Execution) -> Execution:
        """Whether a crash is the candidate's or the fork's shows in a process that was not forked."""
        crash, self._crash = self._crash, ""
        cold = execute(job, self._run_cold, level=self.level, julia_version=self.julia_version, quick=False)
        if self._crash:
            return forked
        note = f"it crashed in a forked process ({crash}), and not in one of its own, whose verdict counts"
        return replace(cold, notes=(*cold.notes, note))

    def close(self) -> None:
        """End the worker; safe to call twice."""
        self._closed = True
        self._worker.close()
        self._referee.close()
        if self._measuring is not None:
            self._measuring.close()

    def _start(self) -> Worker:
        settings = self._plan.settings(rehearse=True, fork=True, packages=self._packages)
        return Worker(self._plan.launch, settings, mode="serve", cancelled=self._cancelled)

    def _start_referee(self) -> Worker:
        return start_referee(self._plan, self._packages, self._cancelled)

    def _prove(self) -> None:
        """A forked child must be able to do what candidates do, or this Julia is not forked at all."""
        try:
            failing = self._failures()
        except WorkerLost:
            failing = ["the server died with its first child"]
        if failing:
            self.close()
            raise CannotFork("this Julia cannot be forked safely: " + "; ".join(failing))

    def _failures(self) -> list[str]:
        if not self._worker.can_fork:
            return ["its compiled code lies in memory that forked processes would share"]
        if failing := failing_parts(self._worker.run):
            return failing
        # Once more: a child that wrote its machine code into the server's memory would break the next one.
        again = self._worker.run(proof_task(SECOND_PROOF), PROOF_LIMITS)
        passed = any(frame[:2] == ["main", "passed"] for frame in again.frames)
        return [] if passed else [f"compiling in a second child: {again.ending_text}"]

    def _run_fairly(self, task: Task, limits: Limits, *, counts: bool) -> Run:
        run = self._scheduler.run_fairly(
            lambda limits, on_frame: self._run_surely(task, limits, on_frame), limits, counts=counts
        )
        return self._noticing_crashes(run, task)

    def _run_cold(self, task: Task, limits: Limits, *, counts: bool) -> Run:
        run = self._scheduler.run_fairly(
            lambda limits, on_frame: run_in_cold_process(self._plan, task, limits, on_frame, self._referee),
            limits,
            counts=counts,
        )
        return self._noticing_crashes(run, task)

    def _run_measuring(self, task: Task, limits: Limits) -> Run:
        if self._closed:  # by another thread, while the candidate was judged
            raise SandboxError("this sandbox is closed")
        if self._measuring is None:
            settings = self._plan.settings(rehearse=True, fork=True, packages=self._packages)
            launch = self._plan.optimized.launch
            self._measuring = Worker(launch, settings, mode="measure", cancelled=self._cancelled)
        try:
            return self._measuring.run(task, limits)
        except WorkerLost:
            self._measuring.close()
            self._measuring = None
            raise SandboxError("the measuring process was lost") from None
        finally:
            if self._plan.host_scratch is not None:
                empty_folder(self._plan.host_scratch)

    def _noticing_crashes(self, run: Run, task: Task) -> Run:
        # A quick run, in the interpreter, is repeated with the compiler anyway.
        if run.crashed and not task.interpret:
            self._crash = run.ending_text
        return run

    def _run_surely(self, task: Task, limits: Limits, on_frame: OnFrame) -> Run:
        """A lost worker is replaced and the candidate tried once more; a second loss is its verdict."""
        self._settle_in_when_due()
        for _ in range(2):
            try:
                run = self._worker.run(task, limits, on_frame, self._referee)
            except WorkerLost:
                self._replace_worker()
            except Exception:
                self._replace_worker()  # what this one is doing now is unknown
                raise
            else:
                return run
            finally:
                if self._plan.host_scratch is not None:
                    empty_folder(self._plan.host_scratch)
        return LOST_TWICE

    def _settle_in_when_due(self) -> None:
        """Before a candidate's clock runs, and a worker lost by it is no candidate's fault."""
        self._jobs += 1
        if self._jobs in (MANY_JOBS, VERY_MANY_JOBS) or self._jobs % AGAIN_AFTER == 0:
            try:
                self._worker.compact(rehearse_toolbox=self._jobs == VERY_MANY_JOBS)
            except WorkerLost:
                self._replace_worker()

    def _replace_worker(self) -> None:
        if self._closed:  # by another thread, while a candidate ran
            raise SandboxError("this sandbox is closed")
        self._worker.close()
        self._worker, self._jobs = self._start(), 0
