"""The half of a run that talks to models: from a queue's request to an answer on the disk.

Every model has its own lanes. A lane takes a request, puts its price aside, asks, and writes the answer
down before anything else happens to it.

What goes wrong in one lane never ends the others: their requests are under way, and paid for. The run then
sends nothing more, waits for them, and ends with the first error.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from math import isfinite
from typing import Final, TypeVar

from ..errors import ModelError, ModelRefused, WriteError
from ..models.protocol import RequestRefused
from ..records import Completion, Message, Prompt
from ..store.convert import whole_characters
from .combinations import Combination
from .cost import Ledger, count_tokens, most_tokens
from .events import (
    Answered,
    Asked,
    BudgetReached,
    LimitReached,
    ModelFailed,
    OnEvent,
    RequestFailed,
    SampleRef,
)
from .model_queue import MOST_IN_A_ROW, ModelQueue
from .plan import Pending, PlannedRequest
from .save import AnswerWriter, Kept, WriteProblem

WRITERS: Final = 16
"""Threads that write answers down; each mostly waits for the disk."""

COMPLETION: Final = {
    "text": str,
    "finish_reason": str,
    "prompt_tokens": int | None,
    "completion_tokens": int | None,
    "elapsed_seconds": int | float,
    "cost": int | float | None,
    "retries": int,
    "reasoning": str,
    "reasoning_tokens": int | None,
}
"""What a plug-in may answer with."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class FullRequest:
    """A request in full: the prompt, and in a repair what was said since."""

    prompt: Prompt
    previous: tuple[Message, ...] = ()
    completions: tuple[Completion, ...] = ()
    """The answers among `previous`."""


class Asking:
    """Asks all queues at once; an answer goes to `judge` once it is stored."""

    def __init__(
        self,
        queues: Mapping[str, ModelQueue],
        *,
        writer: AnswerWriter,
        run_id: int,
        ledger: Ledger,
        limit: int | None,
        tell: OnEvent,
        question: Callable[[PlannedRequest], Awaitable[FullRequest]],
        judge: Callable[[Pending], Awaitable[None]],
    ) -> None:
        self._queues = queues
        self._writer = writer
        self._writers = ThreadPoolExecutor(WRITERS, thread_name_prefix="codejury-write")
        self._run_id = run_id
        self._ledger = ledger
        self._limit = limit
        self._made = 0
        self._tell = tell
        self._question = question
        self._judge = judge
        self._error: Exception | None = None
        self._trouble = WriteProblem()
        self._held: list[tuple[PlannedRequest, FullRequest, Completion]] = []
        """Answers that could not be written anywhere, yet."""

    async def work(self) -> None:
        """Until every queue has nothing more to hand out. Raises the first error, at the end."""
        for queue in self._queues.values():
            if queue.resolved_model.problem:
                self._fail(queue, queue.resolved_model.problem)
        try:
            async with asyncio.TaskGroup() as group:
                for queue in self._queues.values():
                    for _ in range(queue.resolved_model.lanes):
                        group.create_task(self._lane(queue))
        finally:
            self._write_what_is_held()
            self._writers.shutdown()
        if self._trouble.first is not None:
            raise WriteError(self._trouble.message())
        if self._error is not None:
            raise self._error

    def close(self) -> None:
        """Hand out nothing new; what was handed out may be sent, and end."""
        for queue in self._queues.values():
            queue.close()

    def stop_sending(self) -> None:
        """Send nothing more; what is under way may end."""
        for queue in self._queues.values():
            queue.stop_sending()

    async def _lane(self, queue: ModelQueue) -> None:
        try:
            await self._serve(queue)
        except Exception as error:  # noqa: BLE001 - raised by `work`, when the other lanes have ended
            self._error = self._error or error
            self.stop_sending()

    async def _serve(self, queue: ModelQueue) -> None:
        while (ask := await queue.next()) is not None:
            question = await self._question(ask)
            price = self._price(queue, ask.combination, question)
            if not await self._may_ask(queue, price):
                queue.unasked += 1
                return
            await self._ask(queue, ask, question, price)

    def _price(self, queue: ModelQueue, combination: Combination, question: FullRequest) -> float | None:
        """What to put aside."""
        tokens = count_tokens((*question.prompt.messages, *question.previous))
        return queue.resolved_model.price(tokens, queue.lengths.guess(most_tokens(combination)))

    async def _may_ask(self, queue: ModelQueue, price: float | None) -> bool:
        """Whether limit and budget have room for a request; then it is taken."""
        if self._limit is not None and self._made >= self._limit:
            self._close_and_tell(LimitReached(limit=self._limit))
            return False
        self._made += 1
        if not await self._ledger.reserve(price):
            self._close_and_tell(BudgetReached(budget=self._ledger.budget or 0.0, spent=self._ledger.spent))
            return False
        if queue.is_closed:  # since the request was handed out
            self._ledger.settle(price, None, answered=False)
            return False
        return True

    def _close_and_tell(self, reason: BudgetReached | LimitReached) -> None:
        """Once: the lanes that come after find all queues closed."""
        if not all(queue.is_closed for queue in self._queues.values()):
            self.close()
            self._tell(reason)

    async def _ask(
        self, queue: ModelQueue, ask: PlannedRequest, question: FullRequest, price: float | None
    ) -> None:
        """One request; its price is settled however it ends."""
        self._tell(Asked(which=which(ask.combination, ask.sample, ask.round)))
        completion = None
        try:
            completion = await self._complete(queue, ask, question)
        finally:
            cost = completion.cost if completion else None
            self._ledger.settle(price, cost, answered=completion is not None)
        if completion is None:
            queue.chain_is_over()
            return
        queue.answered(completion.completion_tokens)
        pending = await to_the_end(self._written(ask, question, completion))
        if pending is None:
            queue.chain_is_over()
        else:
            await self._judge(pending)

    async def _complete(
        self, queue: ModelQueue, ask: PlannedRequest, question: FullRequest
    ) -> Completion | None:
        model, combination = queue.resolved_model.model, ask.combination
        assert model is not None, "a queue without a model is closed"
        try:
            completion = await model.complete(
                question.prompt,
                combination.parameters_of(ask.sample),
                test_case=combination.test_case,
                previous=question.previous,
                sample=ask.sample,
            )
            check_completion(completion)
            return completion
        except ModelError as error:
            self._note_failure(queue, ask, error)
        except Exception as error:  # noqa: BLE001 - a plug-in can fail in any way, and takes only itself down
            refusal = ModelRefused(f"{queue.resolved_model.name}: {type(error).__name__}: {error}")
            self._note_failure(queue, ask, refusal)
        return None

    def _note_failure(self, queue: ModelQueue, ask: PlannedRequest, error: ModelError) -> None:
        """Tell of a request without an answer; give the model up if more requests make no sense."""
        what = str(error)
        self._tell(RequestFailed(which=which(ask.combination, ask.sample, ask.round), what=what))
        if isinstance(error, RequestRefused):
            return
        if isinstance(error, ModelRefused):
            self._fail(queue, what)
        elif queue.failed():
            self._fail(queue, f"{what}; {MOST_IN_A_ROW} requests in a row had no answer")

    def _fail(self, queue: ModelQueue, what: str) -> None:
        """Ask this model nothing more. Its requests that are sent go on: they may be paid for."""
        if not queue.is_closed or queue.resolved_model.problem:
            queue.stop_sending()
            self._tell(ModelFailed(model=queue.resolved_model.name, what=what, unasked=queue.unasked))

    async def _written(
        self, ask: PlannedRequest, question: FullRequest, completion: Completion
    ) -> Pending | None:
        """Put an answer on the disk; None if it is not in its place, where it could be judged."""
        keep = asyncio.get_running_loop().run_in_executor
        try:
            kept = await keep(self._writers, self._keep, ask, question, completion)
        except WriteError as error:  # tried again when the others have ended
            self._held.append((ask, question, completion))
            self._trouble.add(error)
            self.stop_sending()
            return None
        return self._noted(kept, ask, completion)

    def _keep(self, ask: PlannedRequest, question: FullRequest, completion: Completion) -> Kept:
        """In a thread."""
        sent = question.prompt.variables
        request = ask.combination.request(ask.sample, ask.round, self._run_id, sent)
        messages = (*question.prompt.messages, *question.previous)
        return self._writer.keep(request, messages, (*question.completions, completion))

    def _noted(self, kept: Kept, ask: PlannedRequest, completion: Completion) -> Pending | None:
        """Tell of an answer that is on the disk; where its own place was refused, send nothing more."""
        if kept.problem is not None:
            self._trouble.add(kept.problem)
            self._trouble.unfiled.append(kept.file)
            self.stop_sending()
        self._tell(
            Answered(
                which=which(ask.combination, ask.sample, ask.round),
                prompt_tokens=completion.prompt_tokens,
                completion_tokens=completion.completion_tokens,
                cost=completion.cost,
                seconds=completion.elapsed_seconds,
                retries=completion.retries,
                file=str(kept.file),
                finish_reason=completion.finish_reason,
                reasoning_tokens=completion.reasoning_tokens,
                most_tokens=most_tokens(ask.combination),
            )
        )
        if kept.stored is None:
            return None
        # What the judge does not need is on the disk now, and thousands of answers may wait for it.
        stored = replace(kept.stored, request=replace(kept.stored.request, variables={}))
        arrived = replace(completion, text=whole_characters(completion.text), reasoning="")
        return Pending(ask.combination, stored, ask.sample, completion=arrived)

    def _write_what_is_held(self) -> None:
        """The last chance: what is in its place now is judged by the next run."""
        for ask, question, completion in self._held:
            try:
                self._noted(self._keep(ask, question, completion), ask, completion)
            except WriteError as error:
                self._trouble.lost += 1
                what = f"the answer came, and could not be written: {error}"
                self._tell(RequestFailed(which=which(ask.combination, ask.sample, ask.round), what=what))


def check_completion(value: object) -> None:
    """TypeError unless a plug-in has answered with a Completion that can be stored."""
    if not isinstance(value, Completion):
        raise TypeError(f"complete() returned {type(value).__name__}, not a Completion")
    for name, kinds in COMPLETION.items():
        given = getattr(value, name)
        if not isinstance(given, kinds) or isinstance(given, bool):
            raise TypeError(f"complete() returned a Completion whose {name} is {type(given).__name__}")
        if isinstance(given, float) and not isfinite(given):
            raise TypeError(f"complete() returned a Completion whose {name} is {given}")


def which(combination: Combination, sample: int, round_number: int) -> SampleRef:
    return SampleRef(
        model=combination.resolved_model.name,
        test_case=combination.case_name,
        prompt=combination.template.label,
        strategy=combination.strategy(round_number),
        parameters=combination.sent,
        sample=sample,
        round=round_number,
    )


async def to_the_end(work: Awaitable[T]) -> T:
    """Await something that must not be given up half-way: a cancellation waits for it."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise
