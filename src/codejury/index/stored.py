"""An evaluation file as the index reads it: only what a table needs, strictly typed, without the rest.

The quick decoder never calls a file broken. What it does not accept, and what contradicts itself, gets a
second look by the store, whose word counts.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Annotated, Any, Final, Literal

import msgspec

_BIG: Final = 2**53  # beyond it a float is not exact; no honest count comes near
Count = Annotated[int, msgspec.Meta(ge=0, le=_BIG)]
Tokens = Annotated[int, msgspec.Meta(ge=-_BIG, le=_BIG)]
Amount = Annotated[float, msgspec.Meta(ge=0)]
# Spelt out, because the decoder is told by types; a test holds them against the enums of `records`.
Kind = Literal["main", "example", "unit_test"]
Ending = Literal[
    "passed", "failed", "errored", "timed_out", "out_of_memory", "output_flood", "died", "not_run"
]
Verdict = Literal["pass", "fail", "void"]


class StoredBlock(msgspec.Struct, gc=False):
    kind: Kind
    ending: Ending
    error_type: str
    message: str


class StoredExtraction(msgspec.Struct, gc=False):
    rule: str


class StoredEvaluation(msgspec.Struct, gc=False):
    """The keys of `docs/files.md` that become columns. Those with a default are ours alone."""

    name: str
    parsed: bool
    executed: bool
    unit_tests_count: Count
    examples_count: Count
    unit_tests_passed: Count
    examples_executed: Count
    tokens: tuple[Tokens | None, Tokens | None]
    elapsed_seconds: float
    cost: Amount | None
    model: str
    timestamp: str
    prompt_strategy: str
    prompt_label: str
    device: str
    schema: str
    version_pt: str
    parameters: msgspec.Raw
    experiment: str
    codejury_schema: Count | None = None
    score: Amount | None = None
    outcome: Verdict | None = None
    void_reason: str | None = None
    rules_version: Count | None = None
    codejury_version: str | None = None
    julia_version: str | None = None
    sandbox: str | None = None
    definition_hash: str | None = None
    prompt_hash: str | None = None
    category: str | None = None
    sample: int | None = None
    round: Count | None = None
    extraction: StoredExtraction | None = None
    blocks: list[StoredBlock] | None = None


decode: Final[Callable[[bytes], StoredEvaluation]] = msgspec.json.Decoder(StoredEvaluation).decode
"""Bytes -> StoredEvaluation, or one of `REFUSED`."""

REFUSED: Final = (ValueError, RecursionError)


class Canonical(dict[bytes, str | None]):
    """Parameters as canonical JSON by their bytes; None where they are not an object.

    A tree holds few different ones, so each is worked out once.
    """

    def __missing__(self, raw: bytes) -> str | None:
        value: Any = None
        with suppress(*REFUSED):
            value = msgspec.json.decode(raw)
        text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        self[raw] = text if isinstance(value, dict) else None
        return self[raw]
