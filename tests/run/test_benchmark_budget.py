"""A budget stops the asking before it is exceeded, and keeps all that was paid for."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from benchmark_world import RIGHT, World, always, priced
from codejury.errors import InputError
from codejury.run.cost import AnswerLength, Ledger
from codejury.run.events import Answered, BudgetReached, Judged

USAGE = {"prompt_tokens": 0, "completion_tokens": 1000}


@pytest.fixture
def world(tmp_path: Path, definitions: Path) -> World:
    return World(tmp_path, definitions)


def spent(world: World) -> float:
    return sum(event.cost for event in world.told(Answered))


def test_a_run_stops_asking_when_its_budget_is_reached_and_judges_what_it_has(world):
    with always(RIGHT, usage=USAGE) as server:  # 0.01 USD an answer
        configuration = priced(server, "mine", usd=10)
        options = {"configuration": configuration, "samples": 50, "max_connections": 8}
        found = world.run("mine", budget=0.1, max_tokens=1000, **options)
        assert len(world.told(BudgetReached)) == 1
        assert 5 <= len(server.requests) <= 10
        assert spent(world) <= 0.1, "with the longest answer reserved, the budget is never exceeded"
        assert len(found) == len(world.told(Judged)) == len(server.requests)
        before = len(server.requests)
        world.run("mine", budget=0.05, max_tokens=1000, **options)
        assert 0 < len(server.requests) - before <= 5, "a budget is for one run"


def test_answers_that_are_shorter_than_reserved_give_the_rest_back(world):
    usage = {"prompt_tokens": 0, "completion_tokens": 10}
    with always(RIGHT, usage=usage) as server:  # 0.0001 USD an answer, and 0.02 is reserved for it
        configuration = priced(server, "mine", usd=10)
        found = world.run(
            "mine", samples=20, configuration=configuration, budget=0.025, max_tokens=2000, max_connections=8
        )
    assert len(found) == 40, "one after the other where not more can be reserved"
    assert not world.told(BudgetReached)


def test_without_a_bound_on_answers_only_those_under_way_can_exceed_the_budget(world):
    with always(RIGHT, usage={"prompt_tokens": 0, "completion_tokens": 3000}) as server:
        configuration = priced(server, "mine", usd=10, max_connections=2)  # 0.03 USD an answer
        world.run("mine", samples=50, configuration=configuration, budget=0.1)
    assert world.told(BudgetReached)
    assert spent(world) <= 0.1 + 2 * 0.03


def test_a_budget_needs_prices(world):
    with always(RIGHT) as server, pytest.raises(InputError, match="the price of mine is unknown"):
        world.run("mine", base_url=server.base_url, budget=1)
    assert server.requests == []
    assert len(world.run("baseline/stub", budget=1)) == 2, "what costs nothing needs no budget"


def test_an_answer_of_unknown_cost_counts_as_much_as_was_reserved():
    async def story() -> Ledger:
        ledger = Ledger(1.0)
        assert await ledger.reserve(0.6)
        ledger.settle(0.6, None, answered=True)
        assert not await ledger.reserve(0.6)
        assert await ledger.reserve(0.4)
        return ledger

    ledger = asyncio.run(story())
    assert (ledger.spent, ledger.reserved) == (pytest.approx(0.6), pytest.approx(0.4))


def test_a_request_without_an_answer_gives_its_money_back():
    async def story() -> list[Any]:
        ledger = Ledger(1.0)
        first = await ledger.reserve(0.9)
        waiting = asyncio.ensure_future(ledger.reserve(0.9))
        await asyncio.sleep(0)
        assert not waiting.done(), "it waits while money may come back"
        ledger.settle(0.9, None, answered=False)
        return [first, await waiting, ledger.spent]

    assert asyncio.run(story()) == [True, True, 0.0]


def test_the_length_of_answers_is_learnt_unless_it_has_a_bound():
    lengths = AnswerLength()
    assert lengths.guess(None) == 500
    for tokens in (100, 200, 3000, None):
        lengths.add(tokens)
    assert lengths.guess(None) == 200
    assert lengths.guess(4096) == 4096
