"""What a plan will take: requests, tokens and USD, before anything is asked. Guesses, and said to be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from ..models.order import effective
from ..records import Message
from .combinations import SOME_JULIA, Combination
from .plan import Ask, RunPlan, Work

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
    return effective(combination.contestant.order, combination.parameters).max_tokens


def expect_ask(ask: Ask, rounds: int | None = None) -> Expectation:
    """One request, or with `rounds` all that may follow from it."""
    last = ask.round if rounds is None else rounds
    return total(_one_request(ask.combination, number) for number in range(ask.round, last + 1))


def _one_request(combination: Combination, round_number: int) -> Expectation:
    answer = min(most_tokens(combination) or USUAL_ANSWER, USUAL_ANSWER)
    asked = combination.prompt(SOME_JULIA).messages
    prompt = count_tokens(asked) + round_number * (answer + FEEDBACK)
    cost = combination.contestant.price(prompt, answer)
    return Expectation(requests=1, prompt_tokens=prompt, completion_tokens=answer, cost=cost)


def expect_model(plan: RunPlan, model: str, *, with_repairs: bool = False) -> Expectation:
    """What is to be asked of one model; with all rounds of repair, the most it can become."""
    return expect_works(plan, plan.of_model(model), with_repairs=with_repairs)


def expect_works(plan: RunPlan, works: Sequence[Work], *, with_repairs: bool = False) -> Expectation:
    """The same for some combinations of one plan."""
    mine = {id(work.combination) for work in works}
    asks = (ask for ask in plan.asks() if id(ask.combination) in mine)
    if not with_repairs:
        return _expect_all(asks, None)
    waiting = [p for work in works for p in work.unjudged if p.is_wanted and p.round < plan.rounds]
    following = (Ask(p.combination, p.sample, p.round + 1) for p in waiting)
    return _expect_all(chain(asks, following), plan.rounds)


def _expect_all(asks: Iterable[Ask], rounds: int | None) -> Expectation:
    """Samples of one combination are expected to take the same: the price list is asked once for them."""
    kinds: dict[tuple[int, int], tuple[Ask, int]] = {}
    for ask in asks:
        key = (id(ask.combination), ask.round)
        kinds[key] = (ask, kinds[key][1] + 1 if key in kinds else 1)
    return total(expect_ask(ask, rounds).times(count) for ask, count in kinds.values())


def expected_cost(plan: RunPlan) -> tuple[float, bool]:
    """USD for the whole run at most, as far as prices are known, and whether all of them are."""
    costs = [expect_model(plan, model, with_repairs=True).cost for model in plan.models]
    return sum(cost or 0.0 for cost in costs), None not in costs


def total(parts: Iterable[Expectation]) -> Expectation:
    result = Expectation()
    for part in parts:
        result = result.plus(part)
    return result
