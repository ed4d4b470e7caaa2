"""The wire formats of the services: their own packages take what is sent, and what they say is understood.

All HTTP is real, on loopback; requests are checked by, and replies made of, the services' own types.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from codejury.errors import ModelRefused, ModelUnavailable
from codejury.models.adapters import ADAPTERS, adapter_named
from codejury.models.adapters.chat import without_thoughts
from codejury.models.prices import Usage
from codejury.models.protocol import Parameters, RequestRefused
from codejury.models.providers import known_providers
from codejury.models.replies import Answer
from codejury.models.session import Session
from codejury.models.spec import effective, left_out, price_of, service_of
from codejury.models.streams import EventReader
from codejury.records import CUT_SHORT
from models.test_models import KEY, ask, configured, keyring
from servers import Act, breaks_off, says, sends, status
from services import DONE, SERVICES, Said, Service, event_bytes, streams

THOUGHTFUL = Said(reasoning="Two more than x. So: x + 2.", written=40, thought=33, cached=4)

every_service = pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.adapter)
both_ways = pytest.mark.parametrize("in_pieces", [False, True], ids=["whole", "in pieces"])


def act_of(service: Service, said: Said, *, in_pieces: bool) -> Act:
    whole = json.dumps(service.whole(said)).encode()
    return streams([*service.events(said), *end_of(service)]) if in_pieces else sends(whole)


def end_of(service: Service) -> list[bytes]:
    return [DONE] if service.adapter == "chat" else []


def asked(service: Service, *script: Act, in_pieces: bool = True, **more: Any) -> Any:
    return ask(*script, adapter=service.adapter, stream=in_pieces, **more)


@every_service
@both_ways
def test_a_plain_answer_is_read(service, in_pieces):
    answer = asked(service, act_of(service, Said(), in_pieces=in_pieces), in_pieces=in_pieces).outcome
    assert (answer.text, answer.finish_reason) == ("add_two(x) = x + 2", "stop")
    assert (answer.prompt_tokens, answer.completion_tokens) == (10, 5)
    assert answer.reasoning == ""


@every_service
@both_ways
def test_what_was_thought_is_kept_apart_and_its_tokens_are_counted(service, in_pieces):
    answer = asked(service, act_of(service, THOUGHTFUL, in_pieces=in_pieces), in_pieces=in_pieces).outcome
    assert (answer.text, answer.reasoning) == ("add_two(x) = x + 2", "Two more than x. So: x + 2.")
    assert (answer.completion_tokens, answer.reasoning_tokens) == (40, 33)


@every_service
@both_ways
def test_an_answer_that_was_cut_before_its_first_word_says_so(service, in_pieces):
    said = Said(text="", reasoning="Hmm.", cut=True, written=5, thought=5)
    answer = asked(service, act_of(service, said, in_pieces=in_pieces), in_pieces=in_pieces).outcome
    assert (answer.text, answer.reasoning, answer.finish_reason) == ("", "Hmm.", service.cut_short)
    assert answer.finish_reason in CUT_SHORT


REQUESTS: dict[str, Parameters] = {
    "nothing asked for": Parameters(),
    "sampling": Parameters(temperature=0.2, top_p=0.9, max_tokens=2048, seed=3),
    "an effort": Parameters(effort="high", max_tokens=9000),
    "no reasoning": Parameters(effort="none", max_tokens=9000),
    "a budget": Parameters(thinking_tokens=4000, max_tokens=9000),
}


@every_service
@both_ways
@pytest.mark.parametrize("parameters", REQUESTS.values(), ids=REQUESTS.keys())
def test_the_services_own_types_take_every_request(service, in_pieces, parameters):
    act = act_of(service, Said(), in_pieces=in_pieces)
    given = parameters.over(Parameters(max_tokens=4096))  # Anthropic's has no request without
    done = asked(service, act, in_pieces=in_pieces, parameters=given)
    assert done.outcome.text == "add_two(x) = x + 2"
    [request] = done.server.requests
    service.check(request)
    assert request.path.startswith(service.path.partition(":")[0])


def body_of(adapter: str, parameters: Parameters) -> dict[str, Any]:
    [service] = [service for service in SERVICES if service.adapter == adapter]
    act = act_of(service, Said(), in_pieces=True)
    body: dict[str, Any] = asked(service, act, parameters=parameters).server.requests[0].body
    return body


def test_anthropic_thinks_with_a_budget_or_at_an_effort():
    budget = body_of("messages", Parameters(thinking_tokens=4000, max_tokens=9000))
    assert budget["thinking"] == {"type": "enabled", "budget_tokens": 4000, "display": "summarized"}
    effort = body_of("messages", Parameters(effort="xhigh", max_tokens=9000))
    assert effort["thinking"] == {"type": "adaptive", "display": "summarized"}
    assert effort["output_config"] == {"effort": "xhigh"}
    assert body_of("messages", Parameters(effort="none"))["thinking"] == {"type": "disabled"}
    assert "thinking" not in body_of("messages", Parameters())


def test_anthropic_hears_the_system_apart_from_the_turns():
    body = body_of("messages", Parameters())
    assert body["system"] == "Be brief."
    assert [turn["role"] for turn in body["messages"]] == ["user"]


def test_openai_reasons_at_an_effort_and_stores_nothing():
    body = body_of("responses", Parameters(effort="low"))
    assert body["reasoning"] == {"effort": "low", "summary": "auto"}
    assert body["store"] is False
    assert "reasoning" not in body_of("responses", Parameters())


def test_a_field_of_the_users_own_goes_over_ours_and_an_empty_one_takes_it_out():
    detailed = Parameters(effort="low", extra={"reasoning": {"summary": "detailed"}})
    assert body_of("responses", detailed)["reasoning"] == {"effort": "low", "summary": "detailed"}
    untold = Parameters(effort="low", extra={"reasoning": {"summary": ""}})
    assert body_of("responses", untold)["reasoning"] == {"effort": "low"}


def test_google_thinks_at_a_level_or_with_a_budget():
    def thinking(parameters: Parameters) -> Any:
        return body_of("generate_content", parameters)["generationConfig"]["thinkingConfig"]

    assert thinking(Parameters(effort="high")) == {"includeThoughts": True, "thinkingLevel": "HIGH"}
    assert thinking(Parameters(thinking_tokens=99)) == {"includeThoughts": True, "thinkingBudget": 99}
    assert thinking(Parameters(effort="none")) == {"thinkingBudget": 0}


def test_the_key_goes_into_the_header_of_the_service():
    headers = {"chat": "authorization", "responses": "authorization"}
    headers |= {"messages": "x-api-key", "generate_content": "x-goog-api-key"}
    for service in SERVICES:
        [request] = asked(service, act_of(service, Said(), in_pieces=True)).server.requests
        assert request.headers[headers[service.adapter]].endswith(KEY)
        assert sum(KEY in value for value in request.headers.values()) == 1
        assert KEY not in request.path


# What can go wrong in the middle of a stream


def overload_in_a_stream(adapter: str) -> dict[str, Any]:
    overloaded = {"type": "overloaded_error", "message": "Overloaded"}
    return {
        "messages": {"type": "error", "error": overloaded},
        "responses": {"type": "error", "code": "rate_limit_exceeded", "message": "slow down", "param": None},
        "chat": {"error": {"message": "upstream", "code": 429}},
        "generate_content": {"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}},
    }[adapter]


@every_service
@pytest.mark.parametrize("kept", [1, 2, 3])
def test_a_stream_that_is_cut_is_no_answer_and_is_asked_again(service, kept):
    good = act_of(service, THOUGHTFUL, in_pieces=True)
    done = asked(service, streams(service.events(THOUGHTFUL)[:kept]), good)
    assert done.outcome.text == "add_two(x) = x + 2"
    assert done.outcome.retries == 1
    assert "broke off" in done.retries[0].what


@every_service
def test_it_is_known_how_much_had_arrived(service):
    done = asked(service, streams(service.events(THOUGHTFUL)[:-3]), tries=1)
    assert isinstance(done.outcome, ModelUnavailable)
    assert "characters of the answer" in str(done.outcome)


@every_service
def test_an_event_that_is_no_json_is_asked_again(service):
    good = act_of(service, Said(), in_pieces=True)
    events = service.events(Said())
    done = asked(service, streams([events[0], b"data: {oops\n\n", *events[1:]]), good)
    assert (done.outcome.text, done.outcome.retries) == ("add_two(x) = x + 2", 1)
    assert "no JSON object" in done.retries[0].what


@every_service
def test_an_overload_inside_a_stream_of_status_200_is_asked_again_with_less_at_once(service):
    good = act_of(service, Said(), in_pieces=True)
    done = asked(service, streams([service.events(Said())[0], overload_in_a_stream(service.adapter)]), good)
    assert (done.outcome.text, done.outcome.retries) == ("add_two(x) = x + 2", 1)
    assert "status 429" in done.retries[0].what or "status 5" in done.retries[0].what


@every_service
@pytest.mark.parametrize("code", [429, 500, 529])
def test_a_status_in_place_of_a_stream_is_asked_again(service, code):
    done = asked(service, status(code), act_of(service, Said(), in_pieces=True))
    assert (done.outcome.text, done.outcome.retries) == ("add_two(x) = x + 2", 1)


@every_service
@both_ways
def test_a_connection_that_breaks_is_asked_again(service, in_pieces):
    good = act_of(service, Said(), in_pieces=in_pieces)
    done = asked(service, breaks_off(), good, in_pieces=in_pieces)
    assert (done.outcome.text, done.outcome.retries) == ("add_two(x) = x + 2", 1)


@every_service
def test_a_server_that_answers_in_one_piece_all_the_same_is_understood(service):
    assert asked(service, act_of(service, Said(), in_pieces=False)).outcome.text == "add_two(x) = x + 2"


@every_service
def test_a_complete_answer_counts_though_the_server_does_not_hang_up(service):
    act = streams(service.events(Said()), stays=True)
    done = asked(service, act, silence_seconds=0.3)
    assert (done.outcome.text, done.requests) == ("add_two(x) = x + 2", 1)


@every_service
def test_a_bad_key_fails_the_model_at_once(service):
    done = asked(service, status(401, {"error": {"message": "invalid key"}}))
    assert type(done.outcome) is ModelRefused
    assert "MY_KEY" in str(done.outcome)


@every_service
@both_ways
@pytest.mark.parametrize("usage", [{}, None, "many", {"output_tokens": -1, "completion_tokens": "5"}])
def test_a_wrong_usage_is_unknown_and_the_answer_stays(service, in_pieces, usage):
    keys = ("usage", "usageMetadata")

    def spoilt(document: Any) -> Any:
        if not isinstance(document, dict):
            return document
        return {key: usage if key in keys else spoilt(value) for key, value in document.items()}

    whole = sends(json.dumps(spoilt(service.whole(Said()))).encode())
    events = [*map(spoilt, service.events(Said())), *end_of(service)]
    act = streams(events) if in_pieces else whole
    answer = asked(service, act, in_pieces=in_pieces, price={"input": 1.0, "output": 1.0}).outcome
    assert answer.text == "add_two(x) = x + 2"
    assert (answer.completion_tokens, answer.reasoning_tokens, answer.cost) == (None, None, None)


@every_service
def test_an_endless_stream_is_cut_off_and_not_asked_for_again(service):
    class Endless:
        sent = 0

        async def __call__(self, writer: Any, request: Any) -> None:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
            events = [event_bytes(event) for event in service.events(Said(text="x" * 500_000))]
            first = next(number for number, event in enumerate(events) if len(event) > 100_000)
            more = events[first]
            writer.write(b"".join(events[:first]))
            while self.sent < 500_000_000:
                writer.write(more)
                await writer.drain()
                self.sent += len(more)

    endless = Endless()
    done = asked(service, endless)
    assert type(done.outcome) is RequestRefused
    assert "larger than 8,000,000 bytes" in str(done.outcome)
    assert endless.sent < 100_000_000
    assert done.requests == 1


def test_a_refusal_is_an_answer():
    claude, openai, _, gemini = SERVICES
    said = claude.whole(Said(text="I will not.")) | {"stop_reason": "refusal"}
    assert asked(claude, sends(json.dumps(said).encode())).outcome.finish_reason == "refusal"
    said = openai.whole(Said())
    said["output"][0]["content"] = [{"type": "refusal", "refusal": "I will not."}]
    outcome = asked(openai, sends(json.dumps(said).encode())).outcome
    assert (outcome.text, outcome.finish_reason) == ("I will not.", "refusal")
    blocked = {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}
    outcome = asked(gemini, streams([blocked])).outcome
    assert (outcome.text, outcome.finish_reason) == ("", "PROHIBITED_CONTENT")


# Tokens and cost


@every_service
def test_our_counts_are_those_of_the_price_lists_own_reader(service):
    from genai_prices import extract_usage

    provider = {"messages": "anthropic", "generate_content": "google"}.get(service.adapter, "openai")
    flavors = {"messages": "default", "generate_content": "default"}
    document = service.whole(THOUGHTFUL) | {"model": "gpt-4o" if provider == "openai" else "claude-opus-4-5"}
    flavor = flavors.get(service.adapter, service.adapter)
    theirs = extract_usage(document, provider_id=provider, api_flavor=flavor).usage
    answer = adapter_named(service.adapter).read(service.whole(THOUGHTFUL))
    assert isinstance(answer, Answer)
    assert answer.usage == Usage(
        read=theirs.input_tokens,
        written=theirs.output_tokens,
        reasoning=theirs.output_reasoning_tokens,
        cache_read=theirs.cache_read_tokens or 0,
        cache_written=theirs.cache_write_tokens or 0,
    )


def test_reasoning_is_paid_for_as_output_and_a_cache_makes_reading_cheaper():
    from codejury.models.prices import listed

    price = listed("anthropic", "claude-opus-4-5")
    plain = price(Usage(read=1000, written=1000))
    assert plain == pytest.approx(0.005 + 0.025)
    assert price(Usage(read=1000, written=1000, reasoning=900)) == pytest.approx(plain)
    assert price(Usage(read=1000, written=1000, cache_read=1000)) == pytest.approx(0.0005 + 0.025)


# What open models think aloud


@pytest.mark.parametrize(
    ("text", "is_cut", "answer", "thought"),
    [
        ("<think>a</think>b", False, "b", "a"),
        ("\n<think>\na\n</think>\n\nb", False, "b", "a"),
        ("<thinking>a</thinking><think>b</think>c", False, "c", "a\n\nb"),
        ("<think>never ends", True, "", "never ends"),
        ("<think>never ends", False, "<think>never ends", ""),
        ("b <think>a</think>", False, "b <think>a</think>", ""),
        ("b", True, "b", ""),
    ],
)
def test_thoughts_between_tags_are_kept_apart(text, is_cut, answer, thought):
    assert without_thoughts(text, is_cut=is_cut) == (answer, thought)


def test_thoughts_of_open_models_come_in_several_forms():
    assert ask(says("<think>hm</think>b")).outcome.reasoning == "hm"
    assert ask(says("b", reasoning_content="hm")).outcome.reasoning == "hm"
    assert ask(says("b", reasoning="hm")).outcome.reasoning == "hm"
    parts: Any = [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]
    outcome = ask(says([*parts, {"type": "text", "text": "b"}])).outcome  # type: ignore[arg-type]
    assert (outcome.text, outcome.reasoning) == ("b", "hm")


# Which parameters are sent


def order(spec: str) -> Any:
    return Session(keyring=keyring()).spec_of(spec)


def test_what_a_model_refuses_is_not_sent_and_that_is_known():
    given = Parameters(temperature=0.2, seed=1, effort="high")
    for spec in ("openai/gpt-5.2", "openai/o3", "anthropic/claude-opus-5"):
        assert "temperature" in left_out(order(spec), given)
        assert effective(order(spec), given).temperature is None
        assert effective(order(spec), given).effort == "high"
    assert left_out(order("openai/gpt-4o"), given) == ("seed",)
    assert left_out(order("google/gemini-3-pro"), given) == ()


def test_the_longest_answer_leaves_room_for_thinking():
    assert effective(order("anthropic/claude-opus-5"), Parameters()).max_tokens == 32_000
    room = effective(order("anthropic/claude-opus-5"), Parameters(thinking_tokens=60_000)).max_tokens
    assert room is not None
    assert room > 60_000
    assert effective(order("anthropic/claude-3-haiku-20240307"), Parameters()).max_tokens == 4096


def test_a_server_of_ones_own_can_speak_like_a_provider_without_its_key_or_price():
    table = {"provider": "anthropic", "base_url": "http://127.0.0.1:9/v1"}
    session = Session(configured(mine=table), keyring=keyring(ANTHROPIC_API_KEY="sk-its-own-key-0123456789"))
    service = service_of(session.spec_of("mine"))
    assert service is not None
    assert (service.adapter, service.base_url) == ("messages", "http://127.0.0.1:9/v1")
    assert service.key_variables == ()
    assert price_of(session.spec_of("mine"))(Usage(read=1, written=1)) is None


def test_every_provider_names_an_adapter_that_there_is():
    assert {provider.adapter for provider in known_providers().values()} == set(ADAPTERS)


# Server-sent events, wherever the network cuts them


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_events_are_the_same_wherever_they_are_cut(size):
    data = (
        b': hello\r\nevent: x\r\ndata: {"a":\r\ndata: 1}\r\n\r\n: ping\n\nid: 7\ndata:[DONE]\n\ndata: last\n'
    )
    reader = EventReader()
    events = [e for start in range(0, len(data), size) for e in reader.feed(data[start : start + size])]
    assert [*events, *reader.end()] == ['{"a":\n1}', "[DONE]", "last"]
