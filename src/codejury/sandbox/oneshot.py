"""One cold Julia process per candidate: a second slower each, and nothing is forked.

Used where a Julia cannot be forked safely, and as the measure of what the fork server saves.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import SandboxError
from ..records import Execution, Job, Limits
from .execution import execute
from .launch import Plan
from .run import OnFrame, Run
from .scratch import empty_folder
from .turnstile import Turnstile
from .watch import WorkerLost
from .wire import Item
from .worker import Worker


class OneShotSandbox:
    """Starts Julia anew for every run. Not safe to share between threads."""

    def __init__(self, plan: Plan, *, turnstile: Turnstile | None = None) -> None:
        self._plan = plan
        self._turnstile = turnstile or Turnstile()
        self._closed = False
        self._settings = plan.settings(rehearse=False, fork=False, packages=())
        with_version = self._start()
        self.julia_version = with_version.julia_version
        with_version.close()

    @property
    def level(self) -> str:
        return self._plan.level

    def execute(self, job: Job) -> Execution:
        """Run one candidate; see `Sandbox.execute`."""
        if self._closed:
            raise SandboxError("this sandbox is closed")
        return execute(
            job,
            self._run_fairly,
            level=self.level,
            julia_version=self.julia_version,
            quick=False,  # a second process would take longer than compiling does
        )

    def close(self) -> None:
        """Refuse further candidates; nothing is kept between them."""
        self._closed = True

    def _start(self) -> Worker:
        return Worker(self._plan.launch, self._settings, mode="once")

    def _run_fairly(self, payload: Sequence[Item], limits: Limits, *, counts: bool) -> Run:
        return self._turnstile.run_fairly(
            lambda limits, on_frame: self._run(payload, limits, on_frame), limits, counts=counts
        )

    def _run(self, payload: Sequence[Item], limits: Limits, on_frame: OnFrame) -> Run:
        worker = self._start()
        try:
            return worker.run_alone(payload, limits, on_frame)
        except WorkerLost:
            raise SandboxError("the sandboxed process could not be stopped") from None
        finally:
            worker.close()
            if self._plan.host_scratch is not None:
                empty_folder(self._plan.host_scratch)
