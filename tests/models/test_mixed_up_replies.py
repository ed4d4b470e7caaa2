"""Servers that send replies twice, late or with stray bytes: no answer lands under another question."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmark_world import RIGHT, World
from codejury.models.http import is_for_another
from codejury.models.replies import Names
from codejury.run.events import Retried
from codejury.store.read import read_conversation
from servers import Act, HostileServer, Request, completion


@pytest.fixture
def world(tmp_path: Path, definitions: Path) -> World:
    return World(tmp_path, definitions)


def named_answer(request: Request) -> str:
    """An answer that says to what it is one."""
    case = "double" if "double" in request.body["messages"][-1]["content"] else "repeat"
    return f"{RIGHT} {request.body['model']} {case} {request.body['seed']}"


def reply(request: Request, *headers: str, **fields: str) -> bytes:
    body = json.dumps({**completion(named_answer(request)), **fields}).encode()
    lines = ["HTTP/1.1 200 OK", "Content-Type: application/json", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def sends(make: Callable[[Request], bytes]) -> Act:
    async def act(writer: asyncio.StreamWriter, request: Request) -> None:
        writer.write(make(request))
        await writer.drain()

    return act


def twice_in_one_go(request: Request) -> bytes:
    return reply(request) * 2


class TwiceButLate:
    """Repeats each reply when the next request arrives on the same connection, just before its own reply."""

    def __init__(self) -> None:
        self._before: dict[asyncio.StreamWriter, bytes] = {}

    async def __call__(self, writer: asyncio.StreamWriter, request: Request) -> None:
        writer.write(self._before.get(writer, b"") + reply(request))
        self._before[writer] = reply(request)
        await writer.drain()


def check_all_in_place(world: World, server: HostileServer, *, models: list[str]) -> None:
    world.run(models, base_url=server.base_url, samples=10, seed=0, max_connections=2)
    samples = world.samples()
    assert len(samples) == len(server.requests) == 20 * len(models), (
        "nothing is asked twice, nothing is missing"
    )
    for sample in samples:
        request = sample.request
        said = read_conversation(sample.conversation).answer
        assert said == f"{RIGHT} {request.model} {request.name} {request.seed}"


@pytest.mark.parametrize(
    "act",
    [
        sends(twice_in_one_go),
        TwiceButLate(),
        sends(lambda request: reply(request) + b"\r\n"),
        sends(lambda request: reply(request) + b"HTTP/1.1 200 OK\r\n"),
        sends(lambda request: reply(request) + b"\x00" * 100_000),
    ],
    ids=["twice at once", "twice, late", "an empty line", "half a reply", "garbage"],
)
def test_what_a_server_sends_after_a_reply_is_nobodys_answer_and_costs_nothing(world, act):
    with HostileServer(act) as server:
        check_all_in_place(world, server, models=["one", "other"])
    assert world.told(Retried) == []


def test_a_reply_that_echoes_another_request_of_ours_is_asked_for_again(world):
    seen: list[str] = []

    def echo(request: Request) -> bytes:
        seen.append(request.headers["x-request-id"])
        return reply(request, f"X-Request-Id: {seen[0] if len(seen) == 2 else seen[-1]}")

    with HostileServer(sends(echo)) as server:
        world.run("mine", base_url=server.base_url, seed=0, max_connections=1)
    assert [event.what for event in world.told(Retried)] == ["the server sent the reply to another request"]
    assert len(set(seen)) == len(server.requests) == 3
    assert len(world.samples()) == 2


@pytest.mark.parametrize("echoed", ["", "req_8f2a", "codejury-", "codejury-short", "codejury-aaaa"])
def test_a_request_id_of_the_servers_own_says_nothing(echoed):
    assert not is_for_another(echoed, "codejury-aaaa")
    assert is_for_another("codejury-bbbb", "codejury-aaaa")


def test_an_answer_that_names_another_model_of_the_run_is_asked_for_again(world):
    numbers = {"one": 0, "other": 0}

    def mixes_up(request: Request) -> bytes:
        model = request.body["model"]
        numbers[model] += 1
        wrong = model == "one" and numbers[model] == 2
        return reply(request, model="other" if wrong else model)

    with HostileServer(sends(mixes_up)) as server:
        world.run(["one", "other"], base_url=server.base_url, seed=0, max_connections=1)
    assert [event.what for event in world.told(Retried)] == ["the server sent an answer of other"]
    assert len(world.samples()) == 4


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("gpt-4o", "gpt-4o-2024-08-06"),  # both are asked in this run, and the server names the date
        ("mistral-large-latest", "mistral-large-2411"),  # likewise, and it never says `latest`
        ("openrouter/auto", "llama"),  # a router answers as whom it chose
        ("mine", "/models/qwen.gguf"),
        ("mine", ""),
    ],
)
def test_a_server_may_call_a_model_by_another_name(asked, said):
    names = Names()
    for name in (asked, "gpt-4o-2024-08-06", "mistral-large-2411", "llama"):
        names.add(name)
        names.is_anothers(name, name) if name != asked else None
    assert not names.is_anothers(asked, said)
    assert not names.is_anothers(asked, said)
