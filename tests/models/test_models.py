"""Models: what is asked, what comes back, and everything that can go wrong between.

All HTTP is real, on loopback; only sleeping between tries is not.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import subprocess
import sys
import time
import tomllib
import traceback
from collections.abc import Awaitable, Callable, Iterator
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from codejury.errors import InputError, ModelError, ModelRefused, ModelUnavailable
from codejury.models import local
from codejury.models.baselines import chatty_answer, fenced, reference_answer, stub_answer
from codejury.models.catalogue import catalogue
from codejury.models.keys import Keyring, Scrubber, Secret, read_env_file
from codejury.models.limits import AdaptiveLimiter, RequestPolicy, SystemClock, Window, backoff, retry_after
from codejury.models.prices import Usage
from codejury.models.protocol import Model, Parameters, RequestRefused, Retry
from codejury.models.providers import known_providers, secret_variables
from codejury.models.replay import parse_name
from codejury.models.session import Session, check_name
from codejury.models.spec import ModelSpec, effective, price_of
from codejury.records import Completion, Message, Prompt, TestCase
from servers import (
    Act,
    Floods,
    HostileServer,
    bears,
    breaks_off,
    completion,
    hangs_up,
    says,
    sends,
    status,
    stays_silent,
    trickles,
)
from stored_trees import published

KEY = "sk-canary-9f8e7d6c5b4a39281706"
CASE = TestCase(
    name="add_two",
    contributor="test",
    criteria=("parsed", "passed_unit_tests"),
    prompt="Write a function add_two.",
    version="1.0",
    examples=("add_two(1)",),
    unit_tests=("@test add_two(1) == 3",),
    imports=(),
    reference_solution="add_two(x) = x + 2",
)
PROMPT = Prompt(
    label="InJulia",
    messages=(Message(role="system", content="Be brief."), Message(role="user", content="Write add_two. π")),
    variables={},
    template_hash="0",
)


class FakeClock:
    """Time that passes when somebody sleeps; chance that is always in the middle."""

    def __init__(self) -> None:
        self.time = 1000.0
        self.slept: list[float] = []

    def now(self) -> float:
        return self.time

    def wall(self) -> float:
        return 1_800_000_000.0

    def random(self) -> float:
        return 0.5

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds
        await asyncio.sleep(0)


def keyring(**values: str) -> Keyring:
    return Keyring.load(values, folder=Path("no such folder"))


def configured(**tables: dict[str, Any]) -> Any:
    from codejury.configuration import Configuration, ModelTable

    return Configuration(models={name: ModelTable.model_validate(table) for name, table in tables.items()})


def served(
    server: HostileServer, work: Callable[[Model, Session], Awaitable[Any]], **table: Any
) -> tuple[Any, FakeClock, list[Retry]]:
    """Let `work` use the model `mine`, which is at `server`."""
    clock, retries = FakeClock(), list[Retry]()

    async def main() -> Any:
        configuration = configured(mine={"base_url": server.base_url, "key_variable": "MY_KEY", **table})
        keys = keyring(MY_KEY=KEY)
        async with Session(configuration, keyring=keys, clock=clock, on_retry=retries.append) as session:
            return await work(session.resolve("mine"), session)

    return asyncio.run(main()), clock, retries


def ask(*script: Act, parameters: Parameters | None = None, **table: Any) -> Asked:
    async def once(model: Model, session: Session) -> Completion | ModelError:
        try:
            return await model.complete(PROMPT, parameters or Parameters(), test_case=CASE)
        except ModelError as error:
            return error

    with HostileServer(*script) as server:
        outcome, clock, retries = served(server, once, **table)
        return Asked(outcome, server, clock, retries)


class Asked:
    """One question, and all that came of it."""

    def __init__(self, outcome: Any, server: HostileServer, clock: FakeClock, retries: list[Retry]) -> None:
        self.outcome, self.server, self.clock, self.retries = outcome, server, clock, retries

    @property
    def requests(self) -> int:
        return len(self.server.requests)


# A good answer


def test_an_answer_carries_its_text_tokens_cost_and_reason():
    asked = ask(says("add_two(x) = x + 2"), price={"input": 100.0, "output": 200.0})
    answer = asked.outcome
    assert answer.text == "add_two(x) = x + 2"
    assert (answer.prompt_tokens, answer.completion_tokens) == (10, 5)
    assert answer.cost == pytest.approx((10 * 100 + 5 * 200) / 1e6)
    assert (answer.finish_reason, answer.retries) == ("stop", 0)


def test_a_request_carries_the_messages_the_parameters_and_the_key():
    given = Parameters(temperature=0.2, extra={"top_k": 3})
    asked = ask(says("x"), parameters=given, model="server-name")
    [request] = asked.server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == {
        "model": "server-name",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Write add_two. π"},
        ],
        "temperature": 0.2,
        "top_k": 3,
        "stream": False,
    }


def test_earlier_answers_and_feedback_follow_the_prompt():
    said = (Message(role="assistant", content="wrong"), Message(role="user", content="try again"))

    async def repair(model: Model, session: Session) -> Completion:
        return await model.complete(PROMPT, Parameters(), test_case=CASE, previous=said)

    with HostileServer(says("right")) as server:
        served(server, repair)
        assert [m["content"] for m in server.requests[0].body["messages"]][2:] == ["wrong", "try again"]


def test_what_the_run_says_goes_over_the_models_table_and_that_over_the_service():
    session = Session(
        configured(**{"local/a.gguf": {"parameters": {"temperature": 0.9, "seed": 7}}}), keyring=keyring()
    )
    sent = effective(session.spec_of("local/a.gguf"), Parameters(temperature=0.1))
    assert sent.as_mapping() == {"temperature": 0.1, "seed": 7, "max_tokens": 512}


# What passes is tried again

PASSING: dict[str, Act] = {
    "500": status(500),
    "502 with a page": sends(b"<html>Bad gateway</html>"),
    "503": status(503),
    "529": status(529),
    "408": status(408),
    "409": status(409),
    "429": status(429),
    "garbage": sends(b'{"choices": [{"mess'),
    "another type": sends(b"[1, 2]"),
    "an empty body": sends(b""),
    "blanks": sends(b"  \n "),
    "no choices": sends(b'{"choices": []}'),
    "choices of a wrong type": sends(b'{"choices": "none"}'),
    "an error with status 200": sends(b'{"error": {"message": "upstream", "code": 502}}'),
    "deep nesting": sends(b"[" * 100_000),
    "a closed connection": hangs_up(),
    "a broken answer": breaks_off(),
}


@pytest.mark.parametrize("act", PASSING.values(), ids=PASSING.keys())
def test_a_failure_that_passes_is_tried_again(act):
    asked = ask(act, act, says("at last"))
    assert asked.outcome.text == "at last"
    assert asked.outcome.retries == 2
    assert asked.requests == 3
    assert len(asked.retries) == 2
    assert asked.clock.slept == [0.75, 1.5]


def test_a_server_that_names_a_time_is_left_alone_until_then():
    asked = ask(status(429, headers={"Retry-After": "7"}), says("ok"))
    assert asked.outcome.text == "ok"
    assert asked.retries[0].seconds >= 7
    assert asked.retries[0].seconds <= sum(asked.clock.slept) < 9


def test_a_server_may_name_the_time_as_a_date():
    date = formatdate(FakeClock().wall() + 12, usegmt=True)
    asked = ask(status(503, headers={"Retry-After": date}), says("ok"))
    assert asked.outcome.text == "ok"
    assert 12 <= sum(asked.clock.slept) < 14


@pytest.mark.parametrize("nonsense", ["soon", "-5", "nan", "", "1e999", "Mon, 99 Foo 2026"])
def test_a_nonsensical_time_is_no_obstacle(nonsense):
    asked = ask(status(429, headers={"Retry-After": nonsense}), says("ok"))
    assert asked.outcome.text == "ok"
    assert sum(asked.clock.slept) < 2


def test_a_server_that_asks_for_an_hour_is_left_to_the_next_run():
    asked = ask(status(429, headers={"Retry-After": "3600"}))
    assert isinstance(asked.outcome, ModelUnavailable)
    assert asked.outcome.retry_after == 3600
    assert asked.requests == 1


def test_tries_are_bounded():
    asked = ask(status(500), tries=4)
    assert isinstance(asked.outcome, ModelUnavailable)
    assert asked.requests == 4
    assert "mine" in str(asked.outcome)
    assert "4 tries" in str(asked.outcome)


def test_silence_is_bounded():
    asked = ask(stays_silent(60), silence_seconds=0.1, tries=2)
    assert isinstance(asked.outcome, ModelUnavailable)
    assert "silent for 0.1 s" in str(asked.outcome)
    assert asked.requests == 2


def test_an_answer_that_only_trickles_is_bounded_too():
    asked = ask(trickles(0.02), silence_seconds=5, timeout_seconds=0.2, tries=2)
    assert isinstance(asked.outcome, ModelUnavailable)
    assert "no complete answer within 0.2 s" in str(asked.outcome)


def test_a_silence_within_the_limit_is_policy():
    asked = ask(says("thought about it", after=0.3), silence_seconds=5)
    assert asked.outcome.text == "thought about it"
    assert asked.requests == 1


def test_a_server_that_is_not_there_is_unavailable():
    with HostileServer(says("x")) as server:
        pass
    outcome, _, retries = served(server, lambda model, session: _error_of(model), tries=3)
    assert isinstance(outcome, ModelUnavailable)
    assert "cannot connect" in str(outcome)
    assert "is the server running?" in str(outcome)
    assert len(retries) == 2


async def _error_of(model: Model) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await model.complete(PROMPT, Parameters(), test_case=CASE)
    return caught.value


# What does not pass fails at once

FINAL: dict[str, tuple[Act, str]] = {
    "a bad key": (status(401, {"error": {"message": "Incorrect API key"}}), "MY_KEY"),
    "a key without rights": (status(403), "check the key"),
    "a key Google refuses": (status(400, [{"error": {"message": "API key not valid."}}]), "check the key"),
    "an unknown model": (status(404, {"error": {"message": "no model"}}), "check the model's name"),
    "no credit": (status(402, {"error": "Insufficient Balance"}), "add credit"),
    "an empty quota": (status(429, {"error": {"message": "x", "code": "insufficient_quota"}}), "add credit"),
    "a refused parameter": (status(400, {"error": {"message": "temperature?"}}), "check the parameters"),
    "another refused one": (status(422, {"detail": [{"loc": ["seed"]}]}), "seed"),
}


@pytest.mark.parametrize(("act", "advice"), FINAL.values(), ids=FINAL.keys())
def test_a_final_refusal_fails_the_model_at_once(act, advice):
    asked = ask(act, says("never asked for"))
    assert type(asked.outcome) is ModelRefused
    assert asked.requests == 1
    assert "mine" in str(asked.outcome)
    assert advice in str(asked.outcome)


@pytest.mark.parametrize(
    "act",
    [
        status(400, {"error": {"message": "too long", "code": "context_length_exceeded"}}),
        status(400, {"error": {"message": "Your prompt violates our content policy"}}),
        status(413),
    ],
)
def test_a_refusal_of_one_prompt_leaves_the_model_in_the_run(act):
    asked = ask(act)
    assert type(asked.outcome) is RequestRefused
    assert asked.requests == 1


def test_a_redirect_is_not_followed():
    with HostileServer(says("stolen")) as thief:
        asked = ask(status(307, headers={"Location": f"{thief.base_url}/chat/completions"}))
        assert isinstance(asked.outcome, ModelRefused)
        assert "check the base_url" in str(asked.outcome)
        assert thief.requests == []


# Odd answers are answers


def test_a_refusal_by_the_model_is_an_answer():
    asked = ask(says(None, refusal="I will not."))
    assert (asked.outcome.text, asked.outcome.finish_reason) == ("I will not.", "refusal")
    assert asked.requests == 1


def test_an_answer_that_a_filter_took_is_an_empty_answer():
    asked = ask(says("", finish_reason="content_filter"))
    assert (asked.outcome.text, asked.outcome.finish_reason) == ("", "content_filter")
    nothing = {"choices": [{"index": 0, "finish_reason": "content_filter"}]}
    assert ask(sends(json.dumps(nothing).encode())).outcome.finish_reason == "content_filter"


def test_an_answer_in_parts_is_joined():
    parts: Any = [{"type": "text", "text": "add_two(x)"}, {"type": "text", "text": " = x + 2"}]
    assert ask(says(parts)).outcome.text == "add_two(x) = x + 2"


def test_half_a_character_does_not_spoil_the_file_it_goes_into():
    answer = ask(sends(json.dumps(completion("a\ud800b \U0001f600")).encode())).outcome
    assert answer.text.encode() == "a\ufffdb 😀".encode()


def test_a_huge_answer_is_cut_off_and_not_asked_for_again():
    flood = Floods(most=500_000_000)
    asked = ask(flood)
    assert type(asked.outcome) is RequestRefused
    assert "larger than 8,000,000 bytes" in str(asked.outcome)
    assert asked.requests == 1
    assert flood.sent < 50_000_000


def test_a_huge_refusal_is_shortened():
    asked = ask(status(400, {"error": {"message": "x" * 1_000_000}}))
    assert len(str(asked.outcome)) < 1000


@pytest.mark.parametrize(
    ("usage", "read", "written"),
    [
        ({"prompt_tokens": -1, "completion_tokens": 5}, None, 5),
        ({"prompt_tokens": "10", "completion_tokens": 5.5}, None, None),
        ({"prompt_tokens": True, "completion_tokens": None}, None, None),
        ({"prompt_tokens": 10**30, "completion_tokens": 0}, None, 0),
        ({}, None, None),
        ("many", None, None),
        ([1, 2], None, None),
    ],
)
def test_wrong_numbers_are_unknown_and_so_is_their_cost(usage, read, written):
    answer = ask(says("fine", usage=usage), price={"input": 1.0, "output": 1.0}).outcome
    assert (answer.text, answer.prompt_tokens, answer.completion_tokens) == ("fine", read, written)
    assert answer.cost is None


def test_a_cancelled_request_hangs_up_and_gives_its_place_back():
    async def cancel(model: Model, session: Session) -> int:
        task = asyncio.create_task(model.complete(PROMPT, Parameters(), test_case=CASE))
        while not server.requests:
            await asyncio.sleep(0.005)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        while not server.hung_up:
            await asyncio.sleep(0.005)
        return session.limiter(server.base_url, 1).window.in_flight

    with HostileServer(stays_silent()) as server:
        in_flight, _, _ = served(server, cancel)
        assert in_flight == 0


# The secret


class Echoes:
    """A server that repeats the key wherever a client may look."""

    def __init__(self, code: int) -> None:
        self._code = code

    async def __call__(self, writer: Any, request: Any) -> None:
        header = request.headers["authorization"]
        body = completion(f"your header: {header}", finish_reason=header)
        if self._code != 200:
            body = {
                "error": {"message": f"{header} is bad; {KEY[:16]}... ends in {KEY[-8:]}", "code": header}
            }
        await status(self._code, body, {"X-Echo": header})(writer, request)


@pytest.mark.parametrize("code", [200, 400, 401, 403, 404, 429, 500])
def test_the_key_appears_nowhere(code, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    outcomes: list[str] = []

    async def look(model: Model, session: Session) -> None:
        try:
            answer = await model.complete(PROMPT, Parameters(), test_case=CASE)
            outcomes.append(repr(answer))
        except ModelError as error:
            # Locals as well: some tools print them with every traceback.
            trace = traceback.TracebackException.from_exception(error, capture_locals=True)
            outcomes.append("".join(trace.format()) + repr(error) + str(error))
        outcomes.append(repr((model, session, session.keyring, vars(session), vars(model))))

    with HostileServer(Echoes(code)) as server:
        _, _, retries = served(server, look)
        assert KEY in server.requests[0].headers["authorization"]
    printed = capfd.readouterr()
    everything = "\n".join([*outcomes, repr(retries), caplog.text, printed.out, printed.err])
    assert "[MY_KEY]" in everything
    assert KEY not in everything
    assert KEY[:15] not in everything
    assert KEY[-8:] not in everything


def test_a_key_spelt_in_escapes_is_recognised():
    escaped = "".join(f"\\u{ord(character):04x}" for character in KEY)
    document = json.dumps(completion("KEY")).replace("KEY", escaped)
    assert ask(sends(document.encode())).outcome.text == "[MY_KEY]"


def test_a_key_is_not_left_over_where_a_long_message_is_cut():
    for length in range(370, 400, 3):
        error = str(ask(status(401, {"error": {"message": "x" * length + KEY}})).outcome)
        assert "x" + KEY[0] not in error


def test_a_key_that_fits_no_header_is_refused_without_being_shown():
    for bad in ("sk-secret\nX-Evil: 1", "sk-sécret-123", "two words"):
        with pytest.raises(ModelRefused) as caught:
            Session(keyring=keyring(OPENAI_API_KEY=bad)).resolve("openai/gpt-4o")
        assert "OPENAI_API_KEY" in str(caught.value)
        assert bad[:9] not in str(caught.value)


def test_a_secret_shows_its_name_alone():
    secret = Secret("A_KEY", KEY)
    assert KEY not in f"{secret} {secret!r} {[secret]} {keyring(A_KEY=KEY)!r} {Scrubber(secret)!r}"
    with pytest.raises(TypeError):
        __import__("pickle").dumps(secret)


def test_placeholders_tear_no_holes_into_answers():
    assert Scrubber(Secret("K", "none")).answer("none of it") == "none of it"
    assert Scrubber(Secret("K", KEY)).answer(f"a {KEY} b") == "a [K] b"


def test_the_environment_goes_over_the_env_file(tmp_path):
    lines = [
        "# keys",
        "export A_KEY='from # file'",
        "B_KEY=bee # said",
        'C_KEY="sea"',
        "no line",
        "D_KEY=",
        "E_KEY=#",
    ]
    (tmp_path / ".env").write_text("\n".join(lines))
    assert read_env_file(tmp_path / ".env") == {
        "A_KEY": "from # file",
        "B_KEY": "bee",
        "C_KEY": "sea",
        "D_KEY": "",
        "E_KEY": "",
    }
    keys = Keyring.load({"B_KEY": "environment", "C_KEY": ""}, tmp_path)
    found = keys.find(["B_KEY"]), keys.find(["C_KEY"])
    assert [secret.reveal() for secret in found if secret] == ["environment", "sea"]
    assert not keys.has("D_KEY")


def test_an_env_file_that_cannot_be_read_says_so(tmp_path):
    (tmp_path / ".env").write_bytes(b"A=\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8"):
        Keyring.load({}, tmp_path)


def test_the_names_of_all_secrets_are_known():
    names = secret_variables(configured(mine={"base_url": "http://x/v1", "key_variable": "MINE_KEY"}))
    assert {"OPENAI_API_KEY", "GEMINI_API_KEY", "CODEJURY_API_KEY", "MINE_KEY"} <= set(names)


# Pace


def test_a_window_halves_once_per_round_and_grows_by_one_per_round():
    window = Window(most=16)
    for _ in range(16):
        window.start(0.0)
    for _ in range(16):
        window.end()
        window.overloaded(now=1.0, started=0.0)
    assert window.size == 8
    window.overloaded(now=2.0, started=1.5)
    assert window.size == 4
    for _ in range(4):
        window.succeeded()
    assert window.size == 5
    for _ in range(1000):
        window.succeeded()
    assert window.size == 16


def test_a_window_never_closes():
    window = Window(most=2)
    for second in range(10):
        window.overloaded(now=second + 0.5, started=second)
    assert window.size == 1
    assert window.delay(10.0) == 0.0


def test_a_window_stays_shut_for_as_long_as_the_service_asked():
    window = Window(most=4)
    window.overloaded(now=10.0, started=9.0, pause=30.0)
    assert window.delay(10.0) == 30.0
    assert window.delay(39.0) == 1.0
    assert window.delay(40.0) == 0.0


def test_no_minute_holds_more_requests_than_allowed():
    clock, starts = FakeClock(), list[float]()

    async def main() -> None:
        limiter = AdaptiveLimiter(8, per_minute=5, clock=clock)
        for _ in range(23):
            async with limiter.slot() as started:
                starts.append(started)
            clock.time += 3.0

    asyncio.run(main())
    assert all(later - earlier >= 60 for earlier, later in zip(starts, starts[5:], strict=False))


def test_a_limiter_serves_in_order_and_forgets_who_gave_up():
    async def main() -> list[int]:
        limiter, order = AdaptiveLimiter(1), list[int]()

        async def wait(number: int) -> None:
            async with limiter.slot():
                order.append(number)

        async with limiter.slot():
            tasks = [asyncio.create_task(wait(number)) for number in range(5)]
            await asyncio.sleep(0)
            tasks[0].cancel()
            tasks[2].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert limiter.window.in_flight == 0
        return order

    assert asyncio.run(main()) == [1, 3, 4]


def test_a_service_gets_no_more_at_once_than_it_bears():
    async def many(model: Model, session: Session) -> list[Completion]:
        questions = (model.complete(PROMPT, Parameters(), test_case=CASE) for _ in range(60))
        return await asyncio.gather(*questions)

    server = HostileServer()
    server.script = (bears(4)(server),)
    with server:
        answers, _, retries = served(server, many, max_connections=32, tries=20)
        assert [answer.text for answer in answers] == ["ok"] * 60
        assert server.most_at_once <= 32
        assert sum(answer.retries for answer in answers) == len(retries) > 0


def test_all_models_of_a_service_share_its_limit():
    async def many(model: Model, session: Session) -> None:
        other = session.resolve("other")
        both = [m.complete(PROMPT, Parameters(), test_case=CASE) for m in (model, other) for _ in range(10)]
        await asyncio.gather(*both)

    async def main(server: HostileServer) -> None:
        table = {"base_url": server.base_url}
        async with Session(
            configured(mine=table, other=table), keyring=keyring(), max_connections=3
        ) as session:
            await many(session.resolve("mine"), session)

    with HostileServer(says("ok", after=0.02)) as server:
        asyncio.run(main(server))
        assert server.most_at_once == 3


def test_waiting_doubles_is_bounded_and_leaves_half_to_chance():
    policy = RequestPolicy(first_delay=1.0, longest_delay=60.0)
    assert [backoff(retry, 0.0, policy) for retry in range(4)] == [0.5, 1.0, 2.0, 4.0]
    assert backoff(50, 0.999, policy) <= 60
    assert 7.0 <= backoff(0, 0.5, policy, asked=7.0) <= 8.0


def test_the_clock_of_real_runs_sleeps_as_long_as_it_is_told():
    clock = SystemClock()

    async def slept(seconds: float) -> float:
        before = time.monotonic()
        await clock.sleep(seconds)
        return time.monotonic() - before

    # A clock that returns at once would make every wait for a paid service a hot loop of requests.
    assert asyncio.run(slept(0.05)) >= 0.049


def test_milliseconds_go_over_seconds():
    assert retry_after({"retry-after-ms": "1500", "retry-after": "9"}, wall=0.0) == 1.5
    assert retry_after({}, wall=0.0) is None


def test_a_local_model_without_llama_cpp_names_the_command_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tiny.gguf").touch()
    monkeypatch.setitem(sys.modules, "xllamacpp", None)  # as if it were not installed
    path = tmp_path / "tiny.gguf"
    order = ModelSpec(name=f"local/{path}", provider="local", model=str(path))
    with pytest.raises(ModelRefused, match=r"llama\.cpp is not installed") as caught:
        local.make(order, None)
    assert local.INSTALL in str(caught.value)


# From a string to a model


@pytest.mark.parametrize("provider", list(known_providers()))
def test_every_provider_makes_models_once_its_key_is_there(provider):
    variables = known_providers()[provider].key_variables
    session = Session(keyring=keyring(**dict.fromkeys(variables[:1], KEY)))
    assert session.resolve(f"{provider}/a/b:c").name == f"{provider}/a/b:c"
    if variables:
        with pytest.raises(ModelRefused, match=variables[0]):
            Session(keyring=keyring()).resolve(f"{provider}/x")


@pytest.mark.parametrize(
    ("spec", "hint"),
    [
        ("opnai/gpt-4o", "did you mean `openai`"),
        ("gpt-4o", "write PROVIDER/MODEL"),
        ("openai/", "missing after the `/`"),
        ("baseline/refrence", "did you mean `reference`"),
        ("replay/no/such/folder", "no folder"),
        ("local/none.gguf", "a .gguf file that exists"),
        ("ollama/../../etc", "cannot be the name of a folder"),
    ],
)
def test_a_wrong_string_is_answered_with_a_hint(spec, hint):
    with pytest.raises(ModelRefused) as caught:
        Session(keyring=keyring(), max_connections=1).resolve(spec)
    assert hint in str(caught.value)


def test_a_mistyped_name_of_a_configured_model_is_recognised():
    session = Session(configured(mymodel={"base_url": "http://127.0.0.1:1/v1"}), keyring=keyring())
    with pytest.raises(ModelRefused, match="did you mean `mymodel`"):
        session.resolve("mymodle")


@pytest.mark.parametrize("name", ["", "/a", "a/", "a//b", "../a", "a/./b", "a\nb", "a\\b", " a", "x" * 201])
def test_a_name_that_could_leave_its_folder_is_refused(name):
    with pytest.raises(ModelRefused):
        check_name(name)


def test_a_base_url_takes_every_name_and_sends_no_providers_key():
    async def main() -> None:
        keys = keyring(OPENAI_API_KEY=KEY)
        async with Session(base_url=server.base_url, keyring=keys) as session:
            answer = await session.resolve("openai/gpt-oss-20b").complete(
                PROMPT, Parameters(), test_case=CASE
            )
            assert answer.cost is None
            assert (
                await session.resolve("baseline/stub").complete(PROMPT, Parameters(), test_case=CASE)
            ).text

    with HostileServer(says("ok")) as server:
        asyncio.run(main())
        [request] = server.requests
        assert request.body["model"] == "openai/gpt-oss-20b"
        assert "authorization" not in request.headers


def test_a_base_url_gets_the_key_that_is_meant_for_it():
    async def main() -> None:
        async with Session(base_url=server.base_url, keyring=keyring(CODEJURY_API_KEY=KEY)) as session:
            await session.resolve("any").complete(PROMPT, Parameters(), test_case=CASE)

    with HostileServer(says("ok")) as server:
        asyncio.run(main())
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_services_hear_parameters_under_their_own_names():
    names = {name: provider.names for name, provider in known_providers().items()}
    assert names["openai"]["max_tokens"] == "max_completion_tokens"
    assert names["mistral"]["seed"] == "random_seed"
    assert names["openrouter"]["effort"] == "reasoning.effort"


DOCS = Path(__file__).parents[2] / "docs"


def documented(language: str) -> list[str]:
    text = (DOCS / "models.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


HALF_MODELS = """
class Silent:
    name = "silent/x"
    def __init__(self, order, session): pass

class Nameless:
    name = None
    def __init__(self, order, session): pass
    async def complete(self, prompt, parameters, **more): pass
"""


@pytest.fixture
def plug_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The package of the documentation, as pip would install it."""
    (tmp_path / "parrot_models.py").write_text(documented("python")[0])
    info = tmp_path / "parrot_models-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: parrot-models\nVersion: 1.0\n")
    points = tomllib.loads(documented("toml")[0])["project"]["entry-points"]["codejury.models"]
    points |= {"broken": "no_such_module:make", "openai": points["parrot"]}
    points |= {"odd": "operator:is_", "failing": "operator:index"}
    (tmp_path / "halves.py").write_text(HALF_MODELS)
    points |= {"silent": "halves:Silent", "nameless": "halves:Nameless"}
    lines = [f"{name} = {maker}" for name, maker in points.items()]
    (info / "entry_points.txt").write_text("\n".join(["[codejury.models]", *lines]))
    monkeypatch.syspath_prepend(tmp_path)
    yield
    sys.modules.pop("parrot_models", None)
    sys.modules.pop("halves", None)


@pytest.mark.usefixtures("plug_in")
def test_an_installed_package_adds_a_provider():
    session = Session(keyring=keyring())
    model = session.resolve("parrot/grey")
    assert model.name == "parrot/grey"
    answer = asyncio.run(model.complete(PROMPT, Parameters(), test_case=CASE))
    assert answer.text == "Write add_two. π"
    assert "parrot/..." in [entry.name for entry in catalogue(session)]
    with pytest.raises(ModelRefused, match="there is only parrot/grey"):
        session.resolve("parrot/green")


@pytest.mark.usefixtures("plug_in")
def test_a_broken_package_takes_only_itself_down():
    session = Session(keyring=keyring())
    with pytest.raises(ModelRefused, match="no_such_module"):
        session.resolve("broken/x")
    with pytest.raises(ModelRefused, match=r"plug-in odd \(operator:is_\) made a bool, which is no model"):
        session.resolve("odd/x")
    with pytest.raises(ModelRefused, match="made a Silent, which is no model"):
        session.resolve("silent/x")
    with pytest.raises(ModelRefused, match="made a Nameless, which is no model"):
        session.resolve("nameless/x")
    with pytest.raises(ModelRefused, match=r"the plug-in failing \(operator:index\): TypeError"):
        session.resolve("failing/x")
    assert session.resolve("baseline/stub")


@pytest.mark.usefixtures("plug_in")
def test_a_package_cannot_replace_a_provider_of_ours():
    with pytest.raises(ModelRefused, match="OPENAI_API_KEY"):
        Session(keyring=keyring()).resolve("openai/gpt-4o")


def test_the_documented_program_runs(tmp_path):
    command = [sys.executable, "-c", documented("python")[1]]
    shown = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
    assert "add_two(x) = x + 2" in shown.stdout


# Prices


def cost(session: Session, spec: str, read: int | None, written: int | None) -> float | None:
    return price_of(session.spec_of(spec))(Usage(read=read, written=written))


def test_prices_come_from_the_file_then_from_the_list_and_unknown_is_none():
    session = Session(
        configured(**{"openai/gpt-4o": {"price": {"input": 1.0, "output": 2.0}}}), keyring=keyring()
    )
    assert cost(session, "openai/gpt-4o", 1_000_000, 1_000_000) == 3.0
    assert cost(session, "openai/gpt-4o-mini", 1_000_000, 0) == pytest.approx(0.15, rel=1)
    assert cost(session, "openai/no-such-model", 1000, 1000) is None
    assert cost(session, "openai/gpt-4o-mini", None, 1000) is None


@pytest.mark.parametrize("spec", ["baseline/stub", "ollama/llama3", "local/smollm2-135m", "replay/x"])
def test_what_runs_here_costs_exactly_nothing(spec):
    nothing = cost(Session(keyring=keyring()), spec, None, 10)
    assert nothing == 0.0
    assert type(nothing) is float


def test_the_catalogue_shows_names_of_keys_and_never_a_key():
    session = Session(
        configured(mine={"base_url": "http://127.0.0.1:1/v1", "key_variable": "MY_KEY"}),
        keyring=keyring(OPENAI_API_KEY=KEY),
    )
    entries = {entry.name: entry for entry in catalogue(session)}
    assert entries["openai/..."].has_key is True
    assert entries["groq/..."].has_key is False
    assert entries["ollama/..."].has_key is None
    assert (entries["mine"].has_key, entries["mine"].usd_per_million) == (False, None)
    assert entries["baseline/reference"].usd_per_million == (0.0, 0.0)
    assert KEY not in repr(entries)


# Baselines


def test_the_reference_is_one_well_behaved_block():
    assert reference_answer(CASE) == "Here is a solution:\n\n```julia\nadd_two(x) = x + 2\n```\n"


def test_the_stub_takes_anything_and_returns_nothing():
    assert stub_answer(CASE) == "```julia\nadd_two(args...; options...) = nothing\n```\n"


def test_the_chatty_answer_holds_the_solution_and_everything_else():
    answer = chatty_answer(CASE)
    assert CASE.reference_solution in answer
    for noise in (
        "<think>",
        "```python",
        "```bash",
        "julia> ",
        "@testset",
        "```Julia",
        '"""',
        "hope this helps",
    ):
        assert noise in answer


def test_a_fence_is_longer_than_any_inside():
    assert fenced("x = ```", "julia").startswith("````julia\n")


# Replay

STORED = [
    {"_type": "systemmessage", "content": "s"},
    {"_type": "usermessage", "content": "u", "variables": ["task"]},
]


def store(root: Path, path: str, text: Any, evaluation: dict[str, Any] | None = None) -> None:
    """A conversation of the predecessor's, and its evaluation where something is said of that."""
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    answer = {"_type": "aimessage", "content": text, "status": 200, "tokens": [7, -1], "elapsed": 1.5}
    file.write_text(json.dumps([*STORED, answer]))
    if evaluation is not None:
        name = file.name.replace("conversation", "evaluation")
        file.with_name(name).write_text(json.dumps(published("") | evaluation))


def replayed(spec: str, label: str = "InJulia", rounds: int = 0, sample: int = 0) -> Completion:
    prompt = Prompt(label=label, messages=(), variables={}, template_hash="")
    turn = (Message(role="assistant", content="a"), Message(role="user", content="f"))
    model = Session(keyring=keyring()).resolve(spec)
    return asyncio.run(
        model.complete(prompt, Parameters(), test_case=CASE, previous=turn * rounds, sample=sample)
    )


def test_a_replay_picks_by_test_case_prompt_round_and_sample(tmp_path):
    folder = "utils/add_two/org/model:7b"
    store(tmp_path, f"{folder}/conversation__InJulia__1SHOT__20240102_000000__001.json", "second")
    store(tmp_path, f"{folder}/conversation__InJulia__1SHOT__20240101_000000__999.json", "first")
    store(tmp_path, f"{folder}/conversation__AsIs__1SHOT__20240101_000000__000.json", "as is")
    repair = "conversation__InJulia__1CODEFIXER__CodeFixerTiny__20240103_000000__000.json"
    store(tmp_path, f"{folder}/{repair}", "repaired")
    store(tmp_path, "utils/other/m/conversation__InJulia__1SHOT__20230101_000000__000.json", "other")
    spec = f"replay/{tmp_path}"
    assert replayed(spec).text == "first"
    assert replayed(spec, sample=1).text == "second"
    assert replayed(spec, label="AsIs").text == "as is"
    assert replayed(spec, rounds=1).text == "repaired"
    for missing in ({"sample": 2}, {"label": "None"}, {"rounds": 2}):
        with pytest.raises(RequestRefused, match="nothing stored for sample"):
            replayed(spec, **missing)


def test_a_replay_trusts_the_evaluation_more_than_the_folder(tmp_path):
    name = "conversation__InJulia__1SHOT__20240101_000000__001.json"
    store(tmp_path, f"x/wrong_folder/plain/{name}", "found", {"name": "add_two", "model": "plain--optim"})
    store(tmp_path, f"x/add_two/plain/{name}", "plain", {"name": "add_two", "model": "plain"})
    assert replayed(f"replay/{tmp_path}#plain--optim").text == "found"
    assert replayed(f"replay/{tmp_path}#plain").text == "plain"


def test_a_replay_keeps_what_was_noted_and_pays_nothing(tmp_path):
    store(tmp_path, "add_two/m/conversation__InJulia__1SHOT__20240101_000000__001.json", "")
    answer = replayed(f"replay/{tmp_path}")
    assert (answer.text, answer.prompt_tokens, answer.completion_tokens) == ("", 7, None)
    assert (answer.elapsed_seconds, answer.cost) == (1.5, 0.0)


@pytest.mark.parametrize("content", ["[]", "{}", "nonsense", '[{"content": 5}]', "[5]"])
def test_a_damaged_conversation_is_refused_by_name(tmp_path, content):
    path = tmp_path / "add_two/m/conversation__InJulia__1SHOT__20240101_000000__001.json"
    path.parent.mkdir(parents=True)
    path.write_text(content)
    with pytest.raises(RequestRefused, match="20240101_000000__001"):
        replayed(f"replay/{tmp_path}")


def test_a_replay_is_stored_under_the_folders_name_not_its_path(tmp_path):
    (tmp_path / "old").mkdir()
    (tmp_path / "b/old").mkdir(parents=True)
    session = Session(keyring=keyring())
    assert session.resolve(f"replay/{tmp_path}/old").name == "replay/old"
    with pytest.raises(ModelRefused, match="would be stored as `replay/old`"):
        session.resolve(f"replay/{tmp_path}/b/old")


def test_names_are_read_from_their_known_ends():
    stored = parse_name(Path("conversation__A__2CODEFIXER__B__20240101_120000__007.json"))
    assert stored is not None
    assert (stored.label, stored.round, stored.stamp) == ("A", 2, "20240101_120000__007")
    assert parse_name(Path("conversation__A__1SHOT.json")) is None


# Weight


def test_a_keyless_model_loads_neither_the_http_library_nor_the_price_list():
    code = (
        "import sys; from codejury.models import Session, Keyring\n"
        "Session(keyring=Keyring.load({})).resolve('baseline/stub')\n"
        "print([m for m in ('httpx2', 'pydantic', 'genai_prices', 'typer', 'rich') if m in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_the_catalogue_says_how_a_service_is_asked():
    session = Session(configured(mine={"base_url": "http://127.0.0.1:9/v1"}), keyring=keyring())
    entries = {entry.name: entry for entry in catalogue(session)}
    claude = entries["anthropic/..."]
    assert (claude.adapter, claude.reasoning, claude.batches) == ("messages", "effort, thinking_tokens", True)
    assert (entries["openai/..."].adapter, entries["openai/..."].reasoning) == ("responses", "effort")
    assert (entries["groq/..."].adapter, entries["groq/..."].batches) == ("chat", False)
    assert (entries["mine"].adapter, entries["mine"].reasoning) == ("chat", "effort")
    assert entries["baseline/stub"].adapter == ""
    assert entries["command/NAME"].usd_per_million is None
