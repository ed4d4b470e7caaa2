"""The half of a run that judges: from an answer on the disk to a verdict on the disk, in threads.

New answers go first: a repair may wait for their verdict. When there is none, the judge takes what earlier
runs have left. Each answer is on the disk before it comes here; what has just arrived is judged from memory.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from ..records import Evaluation, Outcome
from ..store.read import read_conversation
from ..store.samples import StoredSample
from ..store.write import write_evaluation
from .ask import which
from .events import BeganJudging, Judged, JudgeReady, Noted, OnEvent, Voided
from .plan import Pending
from .repair import Evaluates

QUEUE: Final = 10_000
"""Answers that may wait; a model that is further ahead than this waits for the judge."""

T = TypeVar("T")


class Judging:
    """Keeps the judge's workers busy. Used from one event loop."""

    def __init__(
        self,
        judge: Evaluates,
        workers: int,
        backlog: Iterator[Pending],
        *,
        tell: OnEvent,
        settle: Callable[[Pending, Evaluation], bool],
    ) -> None:
        """`settle` hears every verdict and says whether the sample is done with it."""
        self._judge = judge
        self._workers = workers
        self._backlog = backlog
        self._tell = tell
        self._settle = settle
        self._queue: asyncio.Queue[Pending | None] = asyncio.Queue(QUEUE)
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="codejury-judge")
        self.is_ready = asyncio.Event()
        """It has started; or it is over, and never will."""
        self.is_over = False

    async def work(self) -> None:
        """Until `no_more` was called and nothing is left. An error of the judge itself is raised."""
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self._workers):
                    group.create_task(self._worker())
        finally:
            self.is_over = True
            self.is_ready.set()
            self._let_go()

    def _let_go(self) -> None:
        """Whoever waits for room in the queue waits no more; the answers are on the disk."""
        while not self._queue.empty():
            self._queue.get_nowait()

    async def put(self, pending: Pending) -> None:
        if not self.is_over:  # the judge is broken: the answer is stored, the next run judges it
            await self._queue.put(pending)

    async def no_more(self) -> None:
        """No new answer will come."""
        if not self.is_over:
            await self._queue.put(None)

    def abandon(self) -> None:
        """Write no verdict from now on: the sandboxes are about to be closed under the candidates."""
        self.is_over = True
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Let a worker do something else between two verdicts."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    async def _worker(self) -> None:
        await self.in_thread(self._wait_for_the_judge)
        self._tell_ready()
        while (pending := await self._next()) is not None:
            self._tell(BeganJudging(which=which(pending.combination, pending.sample, pending.round)))
            verdict = await self.in_thread(lambda item=pending: self._judged(item))  # type: ignore[misc]
            if verdict is not None:
                self._note(pending, *verdict)

    async def _next(self) -> Pending | None:
        if self._queue.empty() and (left := next(self._backlog, None)) is not None:
            return left
        pending = await self._queue.get()
        if pending is None:
            self._queue.put_nowait(None)  # for the other workers
            return next(self._backlog, None)
        return pending

    def _wait_for_the_judge(self) -> None:
        """A judge that cannot start is found out now, before the first request."""
        getattr(self._judge, "level", None)

    def _tell_ready(self) -> None:
        level, version = (str(getattr(self._judge, name, "")) for name in ("level", "julia_version"))
        is_first = not self.is_ready.is_set()
        self.is_ready.set()
        if level and is_first:
            self._tell(JudgeReady(julia_version=version, sandbox=level))
            if note := getattr(self._judge, "note", ""):
                self._tell(Noted(what=note))

    def _judged(self, pending: Pending) -> tuple[StoredSample, Evaluation] | None:
        """In a thread: judge, write. None if the run is being stopped."""
        completion = pending.completion
        answer = completion.text if completion else read_conversation(pending.stored.conversation).answer
        evaluation = self._judge.evaluate(answer, pending.combination.test_case)
        if self.is_over:
            return None
        return write_evaluation(pending.stored, evaluation, completion), evaluation

    def _note(self, pending: Pending, stored: StoredSample, evaluation: Evaluation) -> None:
        sample = which(pending.combination, pending.sample, pending.round)
        file = str(stored.evaluation)
        is_last = self._settle(pending, evaluation)
        if evaluation.outcome is Outcome.VOID:
            lacks = evaluation.execution.missing_packages if evaluation.execution else ()
            self._tell(Voided(which=sample, reason=evaluation.void_reason, file=file, missing_packages=lacks))
            return
        self._tell(
            Judged(
                which=sample,
                outcome=evaluation.outcome.value,
                score=evaluation.score,
                is_last=is_last,
                file=file,
            )
        )
