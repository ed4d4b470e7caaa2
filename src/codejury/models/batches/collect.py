"""The jobs of one model: requests are gathered, submitted once, waited for, and given their results.

    ask -> in a job already? wait for that
        -> else gathered with others -> journal: submitting -> the service -> journal: submitted -> wait

Whatever is unknown about a job is asked of the service before anything is sent again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from ..limits import RequestClock
from ..protocol import BatchProgress
from ..replies import FailureKind, RequestFailure
from .journal import GONE, SUBMITTED, SUBMITTING, BatchJob, Journal, new_tag
from .services import BatchService, Line, State, Trouble

MOST_LINES: Final = 5_000
MOST_BYTES: Final = 15_000_000
"""Of one job; Google takes 20 MB in one call."""
QUIET: Final = 1.0
"""Seconds without a new request until the first that came are submitted."""

TRIES: Final = 3

Reply = dict[str, Any] | RequestFailure


class Jobs:
    """All jobs of one model in one results folder. Used from one event loop."""

    def __init__(
        self,
        service: BatchService,
        journal: Journal,
        *,
        model: str,
        base_url: str,
        clock: RequestClock,
        poll_seconds: float,
        tell: Callable[[BatchProgress], None],
    ) -> None:
        self._service = service
        self._journal = journal
        self._model = model
        self._base_url = base_url
        self._clock = clock
        self._poll = poll_seconds
        self._tell = tell
        self._waiting: dict[str, asyncio.Future[Reply]] = {}
        self._new: dict[str, Line] = {}
        self._came = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._followed: set[str] = set()
        self._is_closed = False
        # The first requests come at once. Later ones are repairs, which come as the judge gets to them.
        self._quiet = min(QUIET, poll_seconds)
        self._gathering: asyncio.Task[None] | None = None

    async def ask(self, line: Line) -> Reply:
        """The reply to one request, from whichever job has it."""
        if line.number not in self._waiting:
            self._waiting[line.number] = asyncio.get_running_loop().create_future()
            self._new[line.number] = line
            self._came.set()
        if self._gathering is None or self._gathering.done():
            self._gathering = self._start(self._gather())
        return await asyncio.shield(self._waiting[line.number])

    def stop(self) -> None:
        """Submit nothing more, and wait for nothing: what the services have, the next run collects."""
        self._is_closed = True
        left = RequestFailure(
            kind=FailureKind.RETRY, what="not collected yet: the same command goes on with its batch"
        )
        self._settle(dict.fromkeys(list(self._waiting), left))

    async def aclose(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _start(self, work: Any) -> asyncio.Task[None]:
        task = asyncio.ensure_future(self._guarded(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _guarded(self, work: Any) -> None:
        """An error of ours, such as a full disk, reaches all who wait."""
        try:
            await work
        except Exception as error:  # noqa: BLE001 - raised where it was asked
            for future in self._waiting.values():
                if not future.done():
                    future.set_exception(error)

    # ---- From requests to jobs

    async def _gather(self) -> None:
        while not self._is_closed:
            await self._came.wait()
            while self._came.is_set():  # as long as requests keep coming
                self._came.clear()
                await asyncio.sleep(self._quiet)
            try:
                await self._find_unknown()
            except Trouble as trouble:
                self._settle(dict.fromkeys(list(self._new), trouble.failure))
                continue
            self._quiet = self._poll
            self._follow_known()
            lines, self._new = list(self._new.values()), {}
            for portion in portions(lines):
                if not self._is_closed:
                    await self._submit(portion)

    async def _find_unknown(self) -> None:
        """Jobs that may or may not be with the service: ask it, once what was on its way has arrived."""
        for job in self._journal.jobs(self._model):
            if job.status == SUBMITTING:
                await self._find(job)

    async def _find(self, job: BatchJob) -> BatchJob | None:
        """The job as the service has it; None if it has none like it, and it is forgotten."""
        settled = job.created + self._settle_seconds
        await asyncio.sleep(max(0.0, min(settled - self._clock.wall(), self._settle_seconds)))
        known = {other.id for other in self._journal.jobs()} | set(job.strangers)
        identifier = await self._until_known(lambda: self._service.find(job, known))
        if identifier:
            return self._journal.write(replace(job, status=SUBMITTED, id=identifier))
        self._journal.remove(job)
        return None

    @property
    def _settle_seconds(self) -> float:
        """After so long, a request that was on its way when we were killed has arrived, or never will."""
        return min(self._poll, 20.0)

    def _follow_known(self) -> None:
        """Wait for the jobs that have what is asked for; the newest that has it counts."""
        for job in reversed(self._journal.jobs(self._model)):
            mine = job.open_requests & self._new.keys()
            for number in mine:
                del self._new[number]
            if mine and job.tag not in self._followed:
                self._follow(job)

    def _follow(self, job: BatchJob) -> None:
        self._followed.add(job.tag)
        self._start(self._collected(job))

    async def _submit(self, lines: Sequence[Line]) -> None:
        """Hand requests over as a job, with another try where the service surely has not got them."""
        numbers = tuple(line.number for line in lines)
        for number in range(TRIES):
            outcome = await self._handed_over(numbers, lines)
            if isinstance(outcome, BatchJob):
                self._follow(outcome)
                return
            if outcome.is_final or number == TRIES - 1:
                self._settle(dict.fromkeys(numbers, outcome))
                return

    async def _handed_over(
        self, numbers: tuple[str, ...], lines: Sequence[Line]
    ) -> BatchJob | RequestFailure:
        """Write it down, send it once, write down what the service calls it."""
        written = BatchJob(
            tag=new_tag(),
            model=self._model,
            base_url=self._base_url,
            created=self._clock.wall(),
            requests=numbers,
        )
        job = self._journal.write(written)
        try:
            identifier = await self._service.submit(job, lines)
        except Trouble as trouble:
            if trouble.failure.is_final:
                self._journal.remove(job)
                return trouble.failure
            return await self._found_or(job, trouble.failure)
        return self._journal.write(replace(job, status=SUBMITTED, id=identifier))

    async def _found_or(self, job: BatchJob, failure: RequestFailure) -> BatchJob | RequestFailure:
        """A job whose submission failed may have arrived all the same."""
        try:
            return await self._find(job) or failure
        except Trouble as trouble:  # it stays in the journal as it is: the next run asks again
            return replace(trouble.failure, kind=FailureKind.REQUEST)

    # ---- From jobs to results

    async def _collected(self, job: BatchJob) -> None:
        """Wait until a job has ended, and give each of its requests its result, once."""
        try:
            state = await self._ended(job)
            results = await self._until_known(lambda: self._service.results(state))
        except Trouble as trouble:
            if "status 404" in trouble.failure.what:
                job = self._journal.write(replace(job, status=GONE))
            self._settle(dict.fromkeys(job.requests, trouble.failure))
            return
        finally:
            self._followed.discard(job.tag)
        if results and not {number for number, _ in results} & set(job.requests):
            await self._find_instead_of(job)
            return
        replies = self._sorted(job, state, results)
        failed = [number for number, reply in replies.items() if isinstance(reply, RequestFailure)]
        self._journal.note_failed(replace(job, ended=True), failed)
        self._settle(replies)

    async def _find_instead_of(self, job: BatchJob) -> None:
        """Look on: a batch that was found by its looks alone is somebody else's."""
        strangers = (*job.strangers, job.id)
        unknown = self._journal.write(replace(job, status=SUBMITTING, id="", strangers=strangers))
        failure = RequestFailure(kind=FailureKind.RETRY, what="its batch never reached the service")
        outcome = await self._found_or(unknown, failure)
        if isinstance(outcome, BatchJob):
            self._follow(outcome)
        else:
            self._settle(dict.fromkeys(job.requests, outcome))

    def _sorted(self, job: BatchJob, state: State, results: Sequence[tuple[str, Reply]]) -> dict[str, Reply]:
        """One reply for each request: the first that came; a failure for those without."""
        lacking = RequestFailure(
            kind=FailureKind.RETRY, what=f"the batch {job.id} is {state.word}, without a result for this"
        )
        replies: dict[str, Reply] = dict.fromkeys(job.requests, lacking)
        for number, reply in results:
            if replies.get(number) is lacking:
                replies[number] = reply
        return replies

    async def _ended(self, job: BatchJob) -> State:
        told: State | None = None
        while True:
            state: State = await self._until_known(lambda: self._service.state(job.id))
            if state != told:
                self._tell(
                    BatchProgress(
                        model=self._model, id=job.id, state=state.word, done=state.done,
                        requests=len(job.requests),
                    )
                )  # fmt: skip
                told = state
            if state.ended:
                return state
            await asyncio.sleep(self._poll)

    async def _until_known(self, call: Callable[[], Any]) -> Any:
        """Ask until the service says something; Trouble where asking again cannot help."""
        while True:
            try:
                return await call()
            except Trouble as trouble:
                if trouble.failure.is_final:
                    raise
                await asyncio.sleep(max(self._poll, min(trouble.failure.retry_after or 0.0, 300.0)))

    def _settle(self, replies: Mapping[str, Reply]) -> None:
        for number, reply in replies.items():
            future = self._waiting.pop(number, None)
            self._new.pop(number, None)
            if future is not None and not future.done():
                future.set_result(reply)


def portions(lines: Sequence[Line]) -> list[list[Line]]:
    """Requests in jobs that every service takes."""
    jobs: list[list[Line]] = []
    size = 0
    for line in lines:
        length = len(str(line.body))
        if not jobs or len(jobs[-1]) >= MOST_LINES or size + length > MOST_BYTES:
            jobs.append([])
            size = 0
        jobs[-1].append(line)
        size += length
    return jobs
