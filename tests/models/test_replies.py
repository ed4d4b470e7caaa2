"""What a server's refusal means, and what its numbers are worth: pure functions, looked at one by one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from codejury.models.prices import (
    MOST_TOKENS,
    Usage,
    added,
    believable_count,
    fixed,
    listed,
    nothing,
    per_million,
    unknown,
    usage,
)
from codejury.models.replies import (
    LONGEST_MESSAGE,
    FailureKind,
    RequestFailure,
    failure_within,
    read_document,
    read_failure,
    shortened,
    text_of,
)

# Refusals


@pytest.mark.parametrize(
    ("status", "message", "kind", "repair"),
    [
        (200, "x", FailureKind.MODEL, "check the base_url"),
        (302, "", FailureKind.MODEL, "check the base_url"),
        (399, "x", FailureKind.MODEL, "check the base_url"),
        (400, "temperature?", FailureKind.MODEL, "check the parameters"),
        (400, "API key not valid", FailureKind.MODEL, "check the key"),
        (401, "", FailureKind.MODEL, "check the key"),
        (402, "", FailureKind.MODEL, "add credit"),
        (403, "no", FailureKind.MODEL, "check the key"),
        (403, "insufficient_quota", FailureKind.MODEL, "add credit"),
        (404, "", FailureKind.MODEL, "check the model's name"),
        (405, "", FailureKind.MODEL, "check the model's name"),
        (410, "", FailureKind.MODEL, "check the model's name"),
        (413, "", FailureKind.REQUEST, "others go on"),
        (422, "context_length_exceeded", FailureKind.REQUEST, "others go on"),
        (422, "seed?", FailureKind.MODEL, "check the parameters"),
        (429, "insufficient_quota", FailureKind.MODEL, "add credit"),
        (429, "slow down", FailureKind.OVERLOAD, ""),
        (500, "", FailureKind.RETRY, ""),
        (501, "", FailureKind.RETRY, ""),
        (503, "", FailureKind.OVERLOAD, ""),
    ],
)
def test_a_status_and_its_words_say_whose_failure_it_is(
    status: int, message: str, kind: FailureKind, repair: str
) -> None:
    failure = read_failure(status, json.dumps({"error": {"message": message}}) if message else "", 2.0)
    assert (failure.kind, failure.retry_after) == (kind, 2.0)
    assert repair in failure.repair
    assert bool(failure.repair) == bool(repair)
    assert failure.what == (f"status {status}: {message}" if message else f"status {status}")
    assert failure.is_final == (kind in (FailureKind.MODEL, FailureKind.REQUEST))


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ({"error": {"message": "no", "code": "bad_key"}}, "no (bad_key)"),
        ({"error": {"message": "bad_key it is", "code": "bad_key"}}, "bad_key it is"),
        ({"error": {"message": "no", "code": 17, "type": "odd"}}, "no (odd)"),
        ({"error": {"msg": "no"}}, "no"),
        ({"detail": [{"loc": ["seed"]}]}, '[{"loc": ["seed"]}]'),
        ({"error": "no"}, "no"),
        ([{"error": {"message": "no"}}, 1], "no"),
        ({"odd": 1}, '{"odd": 1}'),
    ],
)
def test_the_words_of_an_error_are_found_wherever_a_server_puts_them(body: Any, what: str) -> None:
    assert read_failure(400, json.dumps(body)).what == f"status 400: {what}"


@pytest.mark.parametrize("body", ["<html>busy</html>", "[]", "17"])
def test_a_body_that_is_no_error_of_json_is_shown_as_it_is(body: str) -> None:
    assert read_failure(500, body).what == f"status 500: {body}"


@pytest.mark.parametrize(
    ("error", "status"),
    [
        ({"code": 404}, 404),
        ({"code": 400}, 400),
        ({"code": 599}, 599),
        ({"code": 399, "type": "overloaded_error"}, 529),
        ({"code": 600, "status": "UNAVAILABLE"}, 503),
        ({"code": True, "type": "authentication_error"}, 401),
        ({"code": "unheard_of"}, 500),
        ("no", 500),
    ],
)
def test_a_failure_inside_a_good_reply_has_the_status_it_stands_for(error: Any, status: int) -> None:
    failure = failure_within({"error": error})
    assert failure is not None
    assert failure.what.startswith(f"status {status}")


def test_a_reply_without_an_error_is_none() -> None:
    assert failure_within({"choices": []}) is None
    assert failure_within({"error": None}) is None


def test_a_body_must_be_an_object() -> None:
    assert read_document('{"a": 1}') == {"a": 1}
    for body, what in (
        (" \n", "the server sent an empty body"),
        ("[1]", "the server sent no JSON object: [1]"),
    ):
        assert read_document(body) == RequestFailure(kind=FailureKind.RETRY, what=what)


def test_a_long_message_is_cut_and_steers_no_terminal() -> None:
    assert shortened("a\x1b[31m\n  b") == "a [31m b"
    assert shortened("x" * LONGEST_MESSAGE) == "x" * 400
    assert shortened("x" * (LONGEST_MESSAGE + 1)) == "x" * 399 + "…"


def test_a_text_is_one_or_the_texts_of_parts() -> None:
    assert text_of("a\ud800") == "a\ufffd"
    assert text_of([{"text": "a"}, {"image": 1}, "b", {"text": "c"}]) == "ac"
    assert text_of(17) == ""


# Numbers


@pytest.mark.parametrize(
    ("value", "count"),
    [
        (0, 0),
        (MOST_TOKENS, 100_000_000),
        (MOST_TOKENS + 1, None),
        (-1, None),
        (True, None),
        (1.0, None),
        ("1", None),
    ],
)
def test_a_count_is_believed_up_to_what_can_be(value: Any, count: int | None) -> None:
    assert believable_count(value) == count


def test_a_part_is_never_more_than_the_whole() -> None:
    assert usage(10, 5, reasoning=5, cache_read=4, cache_written=6) == Usage(
        read=10, written=5, reasoning=5, cache_read=4, cache_written=6
    )
    assert usage(10, 5, reasoning=6, cache_read=5, cache_written=6) == Usage(read=10, written=5)
    assert usage(-1, 5, reasoning=3, cache_read=1) == Usage(written=5, reasoning=3)
    assert usage(10, None, reasoning=3, cache_read=1) == Usage(read=10, cache_read=1)


def test_counts_are_added_unless_one_is_wrong() -> None:
    assert added(10, None, 4) == 14
    assert added(0) == 0
    assert added(10, -1) is None
    assert added(None, None) is None


def test_a_price_is_known_as_far_as_the_tokens_are() -> None:
    price = fixed(1.0, 2.0)
    assert price(Usage(read=1_000_000, written=500_000)) == 2.0
    assert price(Usage(read=1)) is price(Usage(written=1)) is None
    assert fixed(0, 0)(Usage()) == nothing(Usage()) == 0.0
    assert fixed(0, 3.0)(Usage(read=5, written=1_000_000)) == 3.0
    assert unknown(Usage(read=1, written=1)) is None
    assert per_million(fixed(0.15, 0.6)) == (0.15, 0.6)
    assert per_million(unknown) is None


def test_the_price_list_knows_what_a_cache_costs_and_nothing_of_strangers() -> None:
    price = listed("openai", "gpt-4o")
    plain, cached = price(Usage(read=1000, written=10)), price(Usage(read=1000, written=10, cache_read=900))
    assert plain is not None
    assert cached is not None
    assert 0 < cached < plain
    assert price(Usage(read=1000)) is price(Usage(written=10)) is None
    assert listed("openai", "no-such-model")(Usage(read=1, written=1)) is None
