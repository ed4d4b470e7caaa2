"""The fork server: one warm Julia, one forked and locked-down child per candidate."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from ..errors import SandboxError
from ..records import Execution, Job, Limits
from .execution import execute
from .launch import Plan
from .run import LOST_TWICE, OnFrame, Run
from .scratch import empty_folder
from .turnstile import Turnstile
from .watch import WorkerLost
from .wire import Item, encode
from .worker import Worker

PROOF = Limits(seconds=60)
"""Long: a proof that fails because the machine is busy would prove nothing."""
MANY_JOBS = 8
"""From which on memory is compacted: it takes most of a second, and saves some 15 milliseconds a job."""
VERY_MANY_JOBS = 100
"""From which on what answers are made of is compiled in advance: two seconds, for some milliseconds a job."""
AGAIN_AFTER = 1000
"""Jobs until memory is compacted again: what a server writes while a child lives splits its huge pages."""


class CannotFork(SandboxError):  # noqa: N818 - a finding, answered by another runner
    """The start-up proof failed; candidates must run in processes of their own."""


class ForkServerSandbox:
    """Keeps a warm worker and replaces it when it is lost. Not safe to share between threads."""

    def __init__(
        self,
        plan: Plan,
        *,
        packages: Sequence[str] = (),
        turnstile: Turnstile | None = None,
        cancelled: threading.Event | None = None,
    ) -> None:
        """Start a worker and prove that it can fork. CannotFork if not; `cancelled` ends the wait for it."""
        self._plan = plan
        self._cancelled = cancelled
        self._closed = False
        self._packages = tuple(packages)
        self._turnstile = turnstile or Turnstile()
        self._jobs = 0
        self._worker = self._start()
        self.julia_version = self._worker.julia_version
        self._prove()

    @property
    def level(self) -> str:
        return self._plan.level

    @property
    def worker_pid(self) -> int:
        """The process that is warm at the moment; another one after a loss."""
        return self._worker.pid

    def execute(self, job: Job) -> Execution:
        """Run one candidate; see `Sandbox.execute`."""
        if self._closed:
            raise SandboxError("this sandbox is closed")
        return execute(
            job,
            self._run_fairly,
            level=self.level,
            julia_version=self.julia_version,
        )

    def close(self) -> None:
        """End the worker; safe to call twice."""
        self._closed = True
        self._worker.close()

    def _start(self) -> Worker:
        settings = self._plan.settings(rehearse=True, fork=True, packages=self._packages)
        return Worker(self._plan.launch, settings, mode="serve", cancelled=self._cancelled)

    def _prove(self) -> None:
        """A forked child must be able to compile: run one that has to, or refuse to go on."""
        proof = [_PROOF, _PROOF.replace("x + 1", "reverse(string(x, 7))")]
        try:
            runs = [self._worker.run(proof_payload(code), PROOF) for code in proof]
        except WorkerLost:
            runs = []
        executed = [any(frame[:2] == ["main", "passed"] for frame in run.frames) for run in runs]
        if not self._worker.can_fork or len(executed) != len(proof) or not all(executed):
            self.close()
            raise CannotFork("this Julia cannot be forked safely: a forked child did not compile")

    def _run_fairly(self, payload: Sequence[Item], limits: Limits, *, counts: bool) -> Run:
        return self._turnstile.run_fairly(
            lambda limits, on_frame: self._run_surely(payload, limits, on_frame), limits, counts=counts
        )

    def _run_surely(self, payload: Sequence[Item], limits: Limits, on_frame: OnFrame) -> Run:
        """A lost worker is replaced and the candidate tried once more; a second loss is its verdict."""
        self._settle_in_when_due()
        for _ in range(2):
            try:
                run = self._worker.run(payload, limits, on_frame)
            except WorkerLost:
                self._replace_worker()
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
        self._worker.close()
        self._worker, self._jobs = self._start(), 0


_PROOF = "struct Proof{T}; x::T; end\nproof(p::Proof{T}) where T = (x = p.x; x + 1)\nproof(Proof(1.5))"


def proof_payload(code: str) -> list[Item]:
    nothing = encode([])
    return ["1", "0", "proof", nothing, nothing, encode(["julia", code]), nothing, "", "", nothing, "", ""]
