"""The half of a run that talks to models: from a desk's request to an answer on the disk.

Every model has its own lanes. A lane takes a request, puts its price aside, asks, and writes the answer
down before anything else happens to it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from ..errors import ModelError, ModelRefused
from ..models import RequestRefused
from ..records import Completion, Message, Prompt
from ..store import StoredSample, write_conversation
from .budget import Ledger
from .combinations import Combination
from .desk import MOST_IN_A_ROW, Desk
from .events import (
    Answered,
    Asked,
    BudgetReached,
    LimitReached,
    ModelFailed,
    OnEvent,
    RequestFailed,
    Which,
)
from .expectation import count_tokens, most_tokens
from .plan import Ask, Pending

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A request in full: the prompt, and in a repair what was said since."""

    prompt: Prompt
    previous: tuple[Message, ...] = ()
    completions: tuple[Completion, ...] = ()
    """The answers among `previous`."""


class Asking:
    """Asks all desks at once; an answer goes to `judge` once it is stored."""

    def __init__(
        self,
        desks: Mapping[str, Desk],
        *,
        save_dir: Path,
        run_id: int,
        ledger: Ledger,
        limit: int | None,
        tell: OnEvent,
        question: Callable[[Ask], Awaitable[Question]],
        judge: Callable[[Pending], Awaitable[None]],
    ) -> None:
        self._desks = desks
        self._save_dir = save_dir
        self._run_id = run_id
        self._ledger = ledger
        self._limit = limit
        self._made = 0
        self._tell = tell
        self._question = question
        self._judge = judge

    async def work(self) -> None:
        """Until every desk has nothing more to hand out."""
        for desk in self._desks.values():
            if desk.contestant.problem:
                self._fail(desk, desk.contestant.problem)
        async with asyncio.TaskGroup() as group:
            for desk in self._desks.values():
                for _ in range(desk.contestant.lanes):
                    group.create_task(self._lane(desk))

    def close(self) -> None:
        """Ask nothing new; what is under way may end."""
        for desk in self._desks.values():
            desk.close()

    async def _lane(self, desk: Desk) -> None:
        while (ask := await desk.next()) is not None:
            question = await self._question(ask)
            price = self._price(desk, ask.combination, question)
            if not await self._may_ask(desk, price):
                desk.unasked += 1
                return
            await self._ask(desk, ask, question, price)

    def _price(self, desk: Desk, combination: Combination, question: Question) -> float | None:
        """What to put aside."""
        tokens = count_tokens((*question.prompt.messages, *question.previous))
        return desk.contestant.price(tokens, desk.lengths.guess(most_tokens(combination)))

    async def _may_ask(self, desk: Desk, price: float | None) -> bool:
        """Whether limit and budget have room for a request; then it is taken."""
        if self._limit is not None and self._made >= self._limit:
            self._close_and_tell(LimitReached(limit=self._limit))
            return False
        self._made += 1
        if not await self._ledger.reserve(price):
            self._close_and_tell(BudgetReached(budget=self._ledger.budget or 0.0, spent=self._ledger.spent))
            return False
        if desk.is_closed:  # since the request was handed out
            self._ledger.settle(price, None, answered=False)
            return False
        return True

    def _close_and_tell(self, reason: BudgetReached | LimitReached) -> None:
        """Once: the lanes that come after find all desks closed."""
        if not all(desk.is_closed for desk in self._desks.values()):
            self.close()
            self._tell(reason)

    async def _ask(self, desk: Desk, ask: Ask, question: Question, price: float | None) -> None:
        """One request; its price is settled however it ends."""
        self._tell(Asked(which=which(ask.combination, ask.sample, ask.round)))
        completion = None
        try:
            completion = await self._complete(desk, ask, question)
        finally:
            cost = completion.cost if completion else None
            self._ledger.settle(price, cost, answered=completion is not None)
        if completion is None:
            desk.chain_is_over()
            return
        desk.answered(completion.completion_tokens)
        stored = await to_the_end(self._store(ask, question, completion))
        await self._judge(Pending(ask.combination, stored, ask.sample))

    async def _complete(self, desk: Desk, ask: Ask, question: Question) -> Completion | None:
        model, combination = desk.contestant.model, ask.combination
        assert model is not None, "a desk without a model is closed"
        try:
            return await model.complete(
                question.prompt,
                combination.parameters_of(ask.sample),
                test_case=combination.test_case,
                previous=question.previous,
                sample=ask.sample,
            )
        except ModelError as error:
            self._note_failure(desk, ask, error)
        except Exception as error:  # noqa: BLE001 - a plug-in can fail in any way, and takes only itself down
            refusal = ModelRefused(f"{desk.contestant.name}: {type(error).__name__}: {error}")
            self._note_failure(desk, ask, refusal)
        return None

    def _note_failure(self, desk: Desk, ask: Ask, error: ModelError) -> None:
        """Tell of a request without an answer; give the model up if more requests make no sense."""
        what = str(error)
        self._tell(RequestFailed(which=which(ask.combination, ask.sample, ask.round), what=what))
        if isinstance(error, RequestRefused):
            return
        if isinstance(error, ModelRefused):
            self._fail(desk, what)
        elif desk.failed():
            self._fail(desk, f"{what}; {MOST_IN_A_ROW} requests in a row had no answer")

    def _fail(self, desk: Desk, what: str) -> None:
        """Ask this model nothing more. Its requests under way go on: they may be paid for."""
        if not desk.is_closed or desk.contestant.problem:
            desk.close()
            self._tell(ModelFailed(model=desk.contestant.name, what=what, unasked=desk.unasked))

    async def _store(self, ask: Ask, question: Question, completion: Completion) -> StoredSample:
        sent = question.prompt.variables
        request = ask.combination.request(ask.sample, ask.round, self._run_id, sent)
        messages = (*question.prompt.messages, *question.previous)
        completions = (*question.completions, completion)
        stored = await asyncio.to_thread(write_conversation, self._save_dir, request, messages, completions)
        self._tell(
            Answered(
                which=which(ask.combination, ask.sample, ask.round),
                prompt_tokens=completion.prompt_tokens,
                completion_tokens=completion.completion_tokens,
                cost=completion.cost,
                seconds=completion.elapsed_seconds,
                retries=completion.retries,
                file=str(stored.conversation),
            )
        )
        # The texts that were filled in are on the disk now, and thousands may wait for the judge.
        return replace(stored, request=replace(request, variables={}))


def which(combination: Combination, sample: int, round_number: int) -> Which:
    return Which(
        model=combination.contestant.name,
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
