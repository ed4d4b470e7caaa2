"""What a plan will take: requests, tokens and USD. All of it is estimated, and shown as an estimate."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import median
from typing import Final

from ..models.spec import effective
from ..records import Message
from .combinations import SOME_JULIA, Combination
from .plan import CombinationPlan, PlannedRequest, RunPlan, kind_of

CHARACTERS_PER_TOKEN: Final = 4
USUAL_ANSWER: Final = 500
"""Tokens of an answer where nothing is known yet."""
FEEDBACK: Final = 150
"""Tokens of the message that asks for a repair."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """Of some requests together."""

    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = 0.0
    """None if the price of any of them is unknown."""

    def plus(self, other: Expectation) -> Expectation:
        unknown = self.cost is None or other.cost is None
        return Expectation(
            requests=self.requests + other.requests,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            cost=None if unknown else (self.cost or 0.0) + (other.cost or 0.0),
        )

    def times(self, count: int) -> Expectation:
        return Expectation(
            requests=self.requests * count,
            prompt_tokens=self.prompt_tokens * count,
            completion_tokens=self.completion_tokens * count,
            cost=None if self.cost is None else self.cost * count,
        )


def count_tokens(messages: Iterable[Message]) -> int:
    """About as many as a tokenizer would count in English and code."""
    return sum(-(-len(message.content) // CHARACTERS_PER_TOKEN) for message in messages)


def most_tokens(combination: Combination) -> int | None:
    """The longest answer that the request allows; None where it sets no bound."""
    return effective(combination.resolved_model.spec, combination.parameters).max_tokens


def usual_answer(plan: RunPlan, combination: Combination) -> int:
    """Tokens of an answer: as many as stored ones of the same model and effort have, within the bound."""
    kind = kind_of(combination.resolved_model.name, combination.sent)
    usual = plan.lengths.get(kind, USUAL_ANSWER)
    return min(most_tokens(combination) or usual, usual)


def _expect_ask(plan: RunPlan, ask: PlannedRequest, rounds: int | None = None) -> Expectation:
    """One request, or with `rounds` all that may follow from it."""
    last = ask.round if rounds is None else rounds
    answer = usual_answer(plan, ask.combination)
    return total(_one_request(ask.combination, number, answer) for number in range(ask.round, last + 1))


def _one_request(combination: Combination, round_number: int, answer: int) -> Expectation:
    asked = combination.prompt(SOME_JULIA).messages
    prompt = count_tokens(asked) + round_number * (answer + FEEDBACK)
    cost = combination.resolved_model.price(prompt, answer)
    return Expectation(requests=1, prompt_tokens=prompt, completion_tokens=answer, cost=cost)


def expect_model(plan: RunPlan, model: str, *, with_repairs: bool = False) -> Expectation:
    """What is to be asked of one model; with all rounds of repair, the most it can become."""
    return expect_works(plan, plan.of_model(model), with_repairs=with_repairs)


def expect_works(
    plan: RunPlan, works: Sequence[CombinationPlan], *, with_repairs: bool = False
) -> Expectation:
    """The same for some combinations of one plan."""
    mine = {id(work.combination) for work in works}
    asks = (ask for ask in plan.asks() if id(ask.combination) in mine)
    if not with_repairs:
        return _expect_all(plan, asks, None)
    waiting = [p for work in works for p in work.unjudged if p.is_wanted and p.round < plan.rounds]
    following = (PlannedRequest(p.combination, p.sample, p.round + 1) for p in waiting)
    return _expect_all(plan, chain(asks, following), plan.rounds)


def _expect_all(plan: RunPlan, asks: Iterable[PlannedRequest], rounds: int | None) -> Expectation:
    """Samples of one combination are expected to take the same: the price list is asked once for them."""
    kinds: dict[tuple[int, int], tuple[PlannedRequest, int]] = {}
    for ask in asks:
        key = (id(ask.combination), ask.round)
        kinds[key] = (ask, kinds[key][1] + 1 if key in kinds else 1)
    return total(_expect_ask(plan, ask, rounds).times(count) for ask, count in kinds.values())


def expected_cost(plan: RunPlan) -> tuple[float, bool]:
    """USD for the whole run at most, as far as prices are known, and whether all of them are."""
    costs = [expect_model(plan, model, with_repairs=True).cost for model in plan.models]
    return sum(cost or 0.0 for cost in costs), None not in costs


def total(parts: Iterable[Expectation]) -> Expectation:
    result = Expectation()
    for part in parts:
        result = result.plus(part)
    return result


# ---- The money of a run: what is spent, what is promised to requests under way, and what may still be pro

REMEMBERED: Final = 101
_HAIR: Final = 1e-12  # sums of floats


class Ledger:
    """Counts USD. Used from one event loop."""

    def __init__(self, budget: float | None = None) -> None:
        self.budget = budget
        self.spent = 0.0
        self.reserved = 0.0
        self.unknown = 0
        """Answers whose cost is unknown."""
        self._settled = asyncio.Event()

    async def reserve(self, cost: float | None) -> bool:
        """Put so much aside for a request; False if the budget does not allow it.

        While others are under way it waits: most cost less than was put aside for them.
        """
        cost = cost or 0.0
        while not self._affordable(cost):
            if self.reserved <= _HAIR:
                return False
            self._settled.clear()
            await self._settled.wait()
        self.reserved += cost
        return True

    def settle(self, reserved: float | None, cost: float | None, *, answered: bool) -> None:
        """A request is over. An answer of unknown cost counts as much as was put aside for it."""
        self.reserved = max(0.0, self.reserved - (reserved or 0.0))
        if answered:
            self.unknown += cost is None and not reserved
            self.spent += (reserved or 0.0) if cost is None else cost
        self._settled.set()

    def _affordable(self, cost: float) -> bool:
        return self.budget is None or self.spent + self.reserved + cost <= self.budget + _HAIR


class AnswerLength:
    """How long a model's answers are, from the last of them."""

    def __init__(self) -> None:
        self._lengths: deque[int] = deque(maxlen=REMEMBERED)

    def add(self, tokens: int | None) -> None:
        if tokens is not None:
            self._lengths.append(tokens)

    def guess(self, most: int | None) -> int:
        """Tokens to reserve: the bound where there is one, else what is usual for this model."""
        if most is not None:
            return most
        return int(median(self._lengths)) if self._lengths else USUAL_ANSWER
