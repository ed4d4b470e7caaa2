"""One run, from the plan to the last verdict: models and judge at work at the same time.

    asking ---- answers, by their place on the disk ----> judging
       ^                                                     |
       +------- answers that did not pass, to repair --------+

It ends when both are done, when somebody calls `stop`, or when the judge or the disk fails. Whatever
happens, an answer that arrived is on the disk, and the next run goes on from there.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any, Final

from ..models.protocol import BatchProgress, Retry
from ..models.session import Session
from ..records import Evaluation, Message, Outcome, Prompt
from ..store.read import read_conversation, read_evaluation
from .ask import Asking, FullRequest
from .cost import Ledger, expect_model
from .events import Batched, Event, Finished, Noted, OnEvent, Planned, Retried, Stopping
from .judging import Judging
from .model_queue import ModelQueue
from .plan import JudgedSample, Pending, PlannedRequest, RunPlan, breadth_first
from .repair import Evaluates, feedback, output_without_tests
from .save import AnswerWriter
from .tally import RunTally

PATIENCE: Final = 60.0
"""Seconds for the requests under way to end, after somebody stopped the run: they are paid for."""
MOMENT: Final = 0.1
"""For those that are not sent yet to be given up: what is left is under way."""
BETWEEN_REPORTS: Final = 10.0
GRACE: Final = 5.0
"""Seconds for the judge to finish what is quick, after that."""


class StopRequest:
    """A request to end, from any thread or a signal handler. The second one means at once.

    Called with `seconds`, the requests under way get so many to end; the first caller decides.
    """

    def __init__(self) -> None:
        self.count = 0
        self._deadline = 0.0
        self._event = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    def bind(self) -> None:
        """To the running loop; a stop from before counts."""
        self._loop = asyncio.get_running_loop()
        if self.count:
            self._event.set()

    @property
    def seconds_left(self) -> float:
        """For the requests under way, from the first stop on."""
        return max(0.0, self._deadline - time.monotonic())

    def __call__(self, seconds: float = PATIENCE) -> None:
        if not self.count:
            self._deadline = time.monotonic() + seconds
        self.count += 1
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._event.set)

    async def or_done(self, *tasks: asyncio.Task[Any], stops: int = 1, timeout: float | None = None) -> None:
        """Until one of the tasks is over, so many stops have come, or the time is up."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while self.count < stops and not any(task.done() for task in tasks):
            self._event.clear()
            asked = asyncio.ensure_future(self._event.wait())
            left = None if deadline is None else deadline - time.monotonic()
            done, _ = await asyncio.wait({*tasks, asked}, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            asked.cancel()
            if not done:
                return


class Engine:
    """Carries out one plan, once."""

    def __init__(
        self,
        plan: RunPlan,
        judge: Evaluates,
        *,
        session: Session,
        save_dir: Path,
        cache: Path,
        workers: int,
        budget: float | None,
        on_event: OnEvent,
        run_id: int,
        stop: StopRequest,
        notes: Sequence[str] = (),
    ) -> None:
        self.tally = RunTally()
        self.stop = stop
        self._notes = notes
        self._plan = plan
        self._judge = judge
        self._julia = ""
        """The version that answers will be judged by, once it is known."""
        self._session = session
        session.on_retry = self._retried
        session.on_batch = self._batched
        self._on_event = on_event
        self._event_error: Exception | None = None
        """Why events are no longer delivered."""
        self._save_dir = save_dir
        self._run_id = run_id
        self._queues = {name: self._queue(name) for name in plan.models}
        backlog = (pending for work in plan.works for pending in work.unjudged)
        self._judging = Judging(judge, workers, backlog, tell=self._tell, settle=self._settle)
        self._asking = Asking(
            self._queues,
            writer=AnswerWriter(save_dir, cache),
            run_id=run_id,
            ledger=Ledger(budget),
            limit=plan.limit,
            tell=self._tell,
            question=self._question,
            judge=self._judging.put,
        )

    def _queue(self, name: str) -> ModelQueue:
        works = self._plan.of_model(name)
        planned = self._plan.allowed.get(name, 0)
        waiting = sum(pending.is_wanted for work in works for pending in work.unjudged)
        return ModelQueue(
            works[0].combination.resolved_model,
            islice(breadth_first(works), planned),
            planned,
            repairs=self._plan.rounds > 0,
            open_chains=waiting,
        )

    async def run(self) -> None:
        """Everything. Raises what ended it early, except a stop."""
        self.stop.bind()
        began = time.monotonic()
        self._tell(self._planned())
        for note in self._notes:
            self._tell(Noted(what=note))
        judging = asyncio.create_task(self._judging.work())
        asking = asyncio.create_task(self._ask())
        try:
            await self._ask_until_done(asking, judging)
            await _cancelled(asking)
            await self._judge_until_done(judging)
        finally:
            self._judging.abandon()
            await _cancelled(asking, judging)
            await self._session.aclose()
        self._tell(self._finished(time.monotonic() - began))
        _raise_error_of(asking, judging)
        if self._event_error is not None:
            raise self._event_error

    async def _ask(self) -> None:
        """Ask, once the judge has shown that it can start: answers that cannot be judged are not paid for."""
        await self._judging.is_ready.wait()
        if not self._judging.is_over:
            await self._asking.work()

    async def _ask_until_done(self, asking: asyncio.Task[None], judging: asyncio.Task[None]) -> None:
        """Until all is asked, somebody stops it, or the judge breaks down. What is under way then may end."""
        await self.stop.or_done(asking, judging)
        if not asking.done():
            self._asking.stop_sending()
        await self.stop.or_done(asking)
        await self.stop.or_done(asking, stops=2, timeout=MOMENT)
        while (under_way := self.tally.total("under_way")) and (left := self.stop.seconds_left):
            self._tell(Stopping(under_way=under_way, seconds=left))
            await self.stop.or_done(asking, stops=2, timeout=min(left, BETWEEN_REPORTS))
            if asking.done() or self.stop.count > 1:
                return

    async def _judge_until_done(self, judging: asyncio.Task[None]) -> None:
        closing = asyncio.create_task(self._judging.no_more())
        await self.stop.or_done(judging)
        await self.stop.or_done(judging, stops=2, timeout=GRACE)
        await _cancelled(closing)

    def _tell(self, event: Event) -> None:
        """Count an event and pass it on. A listener that fails ends the run, but not what is under way."""
        self.tally.add(event)
        if self._event_error is not None:
            return
        try:
            self._on_event(event)
        except Exception as error:  # noqa: BLE001 - raised when the run has ended
            self._event_error = error
            self.stop()

    def _retried(self, retry: Retry) -> None:
        self._tell(Retried(model=retry.model, what=retry.what, seconds=retry.seconds))

    def _batched(self, progress: BatchProgress) -> None:
        self._tell(Batched(**asdict(progress)))

    def _settle(self, pending: Pending, evaluation: Evaluation) -> bool:
        """Hear a verdict: whether the sample is done, or goes back to its model."""
        if not pending.is_wanted:
            return False
        queue = self._queues[pending.combination.resolved_model.name]
        if evaluation.outcome is Outcome.FAIL and pending.round < self._plan.rounds:
            link = JudgedSample(pending.stored.folder, pending.stored.tail, evaluation.outcome.value)
            queue.repair(PlannedRequest(pending.combination, pending.sample, pending.round + 1, link))
            return False
        queue.chain_is_over()
        return True

    async def _question(self, ask: PlannedRequest) -> FullRequest:
        """A first try: the prompt. A repair: the whole conversation so far, and what the judge found."""
        if ask.after is not None:
            return await self._judging.in_thread(lambda: repair_question(ask, self._judge))
        named = "julia" in ask.combination.template.placeholders
        return FullRequest(prompt=ask.combination.prompt(await self._julia_version() if named else ""))

    async def _julia_version(self) -> str:
        """The version that answers will be judged by; waits until the judge has started."""
        if not self._julia:
            self._julia = await self._judging.in_thread(
                lambda: str(getattr(self._judge, "julia_version", ""))
            )
        return self._julia

    def _planned(self) -> Planned:
        wanted, done, unjudged = Counter[str](), Counter[str](), Counter[str]()
        for work in self._plan.works:
            name = work.combination.resolved_model.name
            wanted[name] += work.wanted
            done[name] += work.done
            unjudged[name] += len(work.unjudged)
        names = self._plan.models
        return Planned(
            wanted=_counts(wanted, names),
            done=_counts(done, names),
            unjudged=_counts(unjudged, names),
            requests=_counts(self._plan.allowed, names),
            cost={name: expect_model(self._plan, name).cost for name in names},
            save_dir=str(self._save_dir),
            run_id=self._run_id,
            unreadable=self._plan.unreadable,
            left_out=self._plan.left_out,
        )

    def _finished(self, seconds: float) -> Finished:
        return Finished(
            seconds=seconds,
            answered=self.tally.total("answered"),
            judged=self.tally.total("judged"),
            void=self.tally.total("void"),
            failed=self.tally.total("failed"),
            cost=self.tally.cost,
            unknown_costs=self.tally.total("unknown_costs"),
            stopped=self.stop.count > 0,
        )


def repair_question(ask: PlannedRequest, judge: Evaluates) -> FullRequest:
    """From the files of the answer before: so a run that was killed asks the same."""
    assert ask.after is not None, "only a repair has an answer before it"
    combination = ask.combination
    said = read_conversation(ask.after.conversation)
    evaluation = read_evaluation(ask.after.evaluation).evaluation
    known = "\n".join(message.content for message in said.messages)
    printed = output_without_tests(said.answer, evaluation, combination.test_case, judge)
    found = feedback(evaluation, combination.test_case, known, printed=printed)
    first = next(number for number, message in enumerate(said.messages) if message.role == "assistant")
    # As it was sent the first time, which may have named another Julia than it would now.
    prompt = Prompt(
        label=combination.template.label,
        messages=said.messages[:first],
        variables=said.request.variables if said.request else {},
        template_hash=combination.template.hash,
        template_version=combination.template.version,
    )
    request = Message(role="user", content=combination.repair.fill_in(found))
    return FullRequest(
        prompt=prompt,
        previous=(*said.messages[first:], request),
        completions=said.completions,
    )


def _counts(counter: Mapping[str, int], names: tuple[str, ...]) -> dict[str, int]:
    return {name: counter.get(name, 0) for name in names}


async def _cancelled(*tasks: asyncio.Task[Any]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _raise_error_of(*tasks: asyncio.Task[Any]) -> None:
    for task in tasks:
        error = None if task.cancelled() else task.exception()
        if error is not None:
            raise next(_leaves(error))


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """The errors inside a group of errors."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error
