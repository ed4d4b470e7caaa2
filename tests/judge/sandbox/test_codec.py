"""Values travel unchanged between a candidate and the referee; bytes that are no values are refused.

The values are made up: by Hypothesis as source text, and in Julia by a seed.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from codec_peer import CodecPeer
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

a_few_hundred = settings(
    max_examples=300,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@pytest.fixture(scope="module")
def peer() -> Iterator[CodecPeer]:
    with CodecPeer() as started:
        yield started


def quoted(text: str) -> str:
    inner = "".join(f"\\U{ord(c):08x}" if not c.isalnum() or not c.isascii() else c for c in text)
    return f'"{inner}"'


texts = st.text(st.characters(exclude_categories=["Cs"])).map(quoted)
integers = st.integers(-(2**63) + 1, 2**63 - 1).map(str)
typed = st.tuples(
    st.sampled_from(["Int8", "UInt8", "Int16", "Int128", "Float16", "Float32", "BigInt", "Rational{Int}"]),
    st.integers(0, 100),
).map(lambda pair: f"{pair[0]}({pair[1]})")
floats = st.floats(allow_nan=False, allow_infinity=False).map(repr) | st.sampled_from(
    ["NaN", "Inf", "-Inf", "-0.0"]
)
others = st.sampled_from(["nothing", "missing", "true", "false", "'x'", "Int", "Vector{Int}", "sin"])
ranges = st.integers(0, 99).map(lambda n: f"1:{n}")
leaves = integers | typed | floats | texts | others | ranges


def joined(parts: list[str]) -> str:
    return "".join(f"{part}, " for part in parts)


def branches(part: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    several = st.lists(part, max_size=4)
    return (
        several.map(lambda parts: f"Any[{joined(parts)}]")
        | several.map(lambda parts: f"[{joined(parts)}]")
        | several.map(lambda parts: f"tuple({joined(parts)})")
        | several.map(lambda parts: f"Dict{{Any,Any}}(enumerate([{joined(parts)}]))")
        | several.map(lambda parts: f"Set(Any[{joined(parts)}])")
        | st.tuples(part, part).map(lambda pair: f"({pair[0]}) => ({pair[1]})")
        | st.tuples(part, part).map(lambda pair: f"(a = {pair[0]}, b = {pair[1]})")
        | part.map(lambda inner: f"(x -> Any[x, x])({inner})")
        | part.map(lambda inner: f"KeyError({inner})")
    )


@a_few_hundred
@given(source=st.recursive(leaves, branches, max_leaves=12))
@example(source="Any[]")
def test_a_value_is_the_same_on_the_other_side(peer, source):
    assert peer.ask(f"value {source.encode().hex()}") == "same", source


@a_few_hundred
@given(message=st.binary(max_size=200))
@example(message=b"")
@example(message=b"\x01\x00\x00\x00")
@example(message=b"\xff" * 40)
def test_random_bytes_are_refused_or_are_values_and_nothing_else_happens(peer, message):
    assert peer.ask(f"bytes {message.hex()}") in ("refused", "values")


@a_few_hundred
@given(tag=st.integers(1, 24), rest=st.binary(max_size=60))
def test_every_kind_of_value_with_random_contents_is_refused_or_is_a_value(peer, tag, rest):
    message = b"\x01\x00\x00\x00" + bytes([tag]) + rest
    assert peer.ask(f"bytes {message.hex()}") in ("refused", "values")


@pytest.mark.parametrize("source", ["x -> x", "Module(:M)", "stdin", "Any[1, x -> x]", "Task(() -> 1)"])
def test_what_is_no_plain_data_does_not_travel(peer, source):
    assert peer.ask(f"value {source.encode().hex()}") == "unsendable"


def test_values_made_up_in_julia_travel_and_their_damaged_messages_do_no_harm(peer):
    sent, values, refused, _ = peer.ask("random 1 300").split()
    assert int(sent) == 300
    assert int(values) + int(refused) == 3000
    assert int(refused) > 1000
