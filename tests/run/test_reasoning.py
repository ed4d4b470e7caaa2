"""Reasoning in a run: asked for like a temperature, kept beside the answer, paid for; answers cut short."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmark_world import RIGHT, World, told_judge
from codejury.cli.run_display import RunNotes
from codejury.configuration import Configuration, ModelTable, PriceTable
from codejury.options import RunOptions
from codejury.run.benchmark import Benchmark
from codejury.run.cost import expect_model
from codejury.run.events import Answered
from servers import HostileServer
from services import SERVICES, Said, Service, streams

CLAUDE, OPENAI, CHAT, GEMINI = SERVICES
THOUGHTFUL = Said(text=RIGHT, reasoning="Hmm.", written=40, thought=33)


@pytest.fixture
def world(tmp_path: Path, definitions: Path) -> World:
    return World(tmp_path, definitions)


def at(server: HostileServer, service: Service, **table: Any) -> Configuration:
    price = PriceTable(input=1.0, output=1.0)
    fields = {"base_url": server.base_url, "adapter": service.adapter, "stream": True, "tries": 1, **table}
    return Configuration(models={"mine": ModelTable(price=price, **fields)})


def answers(service: Service, said: Said) -> HostileServer:
    return HostileServer(streams(service.events(said), chunk=1000))


def evaluations(world: World) -> list[dict[str, Any]]:
    return [json.loads(path.read_text(encoding="utf-8")) for path in world.files("evaluation__*")]


def test_effort_and_thoughts_and_their_tokens_are_on_the_disk(world):
    with answers(CLAUDE, THOUGHTFUL) as server:
        world.run("mine", case="double", effort="high", max_tokens=999, configuration=at(server, CLAUDE))
    [stored] = evaluations(world)
    assert stored["parameters"] == {"effort": "high", "max_tokens": 999}
    assert (stored["tokens"], stored["reasoning_tokens"]) == ([10, 40], 33)
    assert stored["cost"] == pytest.approx(50 / 1e6), "reasoning is paid for"
    assert stored["outcome"] == "pass", "the thoughts are not judged"
    [[*_, answer]] = world.conversations()
    assert (answer["content"], answer["reasoning"], answer["reasoning_tokens"]) == (RIGHT, "Hmm.", 33)


def test_an_answer_without_thoughts_is_stored_as_it_always_was(world):
    with answers(CHAT, Said(text=RIGHT)) as server:
        world.run("mine", case="double", configuration=at(server, CHAT))
    [[*_, answer]] = world.conversations()
    assert "reasoning" not in answer
    assert evaluations(world)[0]["reasoning_tokens"] == 0, "the service said so"


def test_several_efforts_make_a_scan(world):
    with answers(OPENAI, Said(text=RIGHT)) as server:
        options = {"case": "double", "effort": ["low", "high"], "configuration": at(server, OPENAI)}
        world.run("mine", **options)
        assert sorted(r.body["reasoning"]["effort"] for r in server.requests) == ["high", "low"]
        world.run("mine", **options)
        assert len(server.requests) == 2, "what is stored is not asked again"


def test_values_of_a_parameter_that_is_not_sent_are_one_question_and_the_plan_says_so(world):
    with answers(CLAUDE, Said(text=RIGHT)) as server:
        configuration = at(server, CLAUDE)
        wanted = RunOptions.of(
            model="mine", case="double", prompt="InJulia", temperature=[0.1, 0.9], max_tokens=99,
            definitions=world.definitions, save_dir=world.save_dir,
        )  # fmt: skip
        with told_judge() as judge:
            [note] = Benchmark(wanted, configuration=configuration, judge=judge).notes
        assert note == "temperature: not sent to mine, which would refuse the request"
        world.run("mine", case="double", temperature=[0.1, 0.9], max_tokens=99, configuration=configuration)
        assert len(server.requests) == 1
        assert "temperature" not in server.requests[0].body
    assert evaluations(world)[0]["parameters"] == {"max_tokens": 99}


def test_thoughts_are_not_sent_back_in_a_repair(world):
    with answers(GEMINI, Said(text="```julia\nwrong\n```", reasoning="SECRET THOUGHT")) as server:
        world.run("mine", case="double", strategy="repair", rounds=1, configuration=at(server, GEMINI))
        _, repair = server.requests
    assert "wrong" in json.dumps(repair.body)
    assert "SECRET THOUGHT" not in json.dumps(repair.body)
    assert (
        sum(
            message.get("reasoning") == "SECRET THOUGHT" for said in world.conversations() for message in said
        )
        == 3
    )


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.adapter)
def test_an_answer_that_was_cut_short_is_told_with_the_flag_that_mends_it(world, service):
    with answers(service, Said(text="", cut=True)) as server:
        world.run("mine", case="double", max_tokens=100, configuration=at(server, service))
    [answered] = world.told(Answered)
    assert answered.finish_reason == service.cut_short
    said: list[str] = []
    RunNotes(said.append).add(answered)
    assert said == ["mine: an answer was cut short at the limit of 100 tokens; --max-tokens 200 may help"]


def test_the_plan_expects_what_stored_answers_of_the_same_effort_took(world):
    def expected(effort: str) -> int:
        options = RunOptions.of(
            model="mine", case="repeat", effort=effort, prompt="JuliaExpertAsk",
            definitions=world.definitions, save_dir=world.save_dir,
        )  # fmt: skip
        with told_judge() as judge:
            plan = Benchmark(options, configuration=configuration, judge=judge).plan()
        return expect_model(plan, "mine").completion_tokens

    with answers(OPENAI, Said(text=RIGHT, written=9000, thought=8000)) as server:
        configuration = at(server, OPENAI)
        assert expected("high") == 500
        world.run("mine", case="repeat", effort="high", configuration=configuration)
        assert expected("high") == 9000
        assert expected("low") == 500
