"""The JSON objects on disk, key by key. `docs/files.md` explains each; a test keeps the two in step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NotRequired, TypedDict

# The number of our part of the format: the key `codejury_schema` of both files.
# A file without it is the predecessor's; a higher number than ours is refused.
# 1  first version: the predecessor's 20 keys and our own beside them
SCHEMA: Final = 1


class PublishedDict(TypedDict):
    """The evaluation file as the predecessor writes it, and as every file of ours begins."""

    name: str
    parsed: bool
    executed: bool
    unit_tests_count: int
    examples_count: int
    unit_tests_passed: int
    examples_executed: int
    tokens: list[int | None]
    elapsed_seconds: float
    cost: float | None
    model: str
    timestamp: str
    prompt_strategy: str
    prompt_label: str
    device: str
    version_prompt: str
    schema: str
    version_pt: str
    parameters: dict[str, Any]
    experiment: str


class BlockDict(TypedDict):
    kind: str
    index: int
    ending: str
    error_type: str
    message: str
    line: int | None
    seconds: float


class ExtractionDict(TypedDict):
    rule: str
    blocks_found: int
    blocks_used: list[int]
    extended: NotRequired[list[int]]  # since judging rules 2
    code: str
    dropped_imports: list[str]
    dropped_tests: int


class EvaluationDict(PublishedDict, total=False):
    """An evaluation file: the published keys always, ours where Codejury wrote it."""

    codejury_schema: int
    score: float | None
    outcome: str
    void_reason: str
    rules_version: int
    codejury_version: str
    julia_version: str
    sandbox: str
    definition_hash: str
    extraction: ExtractionDict | None
    blocks: list[BlockDict]
    tampering: list[str]
    missing_packages: list[str]
    notes: list[str]
    stdout_tail: str
    extra: dict[str, Any]
    judged_at: str
    supersedes: list[str]
    category: str
    prompt_hash: str
    template_version: str
    asked_julia_version: str
    seed: int | None
    sample: int | None
    round: int
    run_id: int | None
    retries: int
    finish_reason: str


class RequestDict(TypedDict):
    """The key `codejury` of a conversation's last message: what was asked of whom."""

    codejury_schema: int
    category: str
    name: str
    model: str
    timestamp: str
    prompt_strategy: str
    prompt_label: str
    device: str
    version_prompt: str
    schema: str
    version_pt: str
    parameters: dict[str, Any]
    experiment: str
    prompt_hash: str
    template_version: str
    asked_julia_version: str
    variables: dict[str, str]
    seed: int | None
    sample: int | None
    round: int
    run_id: int | None


class MessageDict(TypedDict, total=False):
    """One element of a conversation file; which keys it has depends on `_type`."""

    _type: str
    content: str
    variables: list[str]
    status: int | None
    tokens: list[int | None]
    elapsed: float
    cost: float | None
    log_prob: float | None
    finish_reason: str | None
    run_id: int | None
    sample_id: int | None
    retries: int
    codejury: RequestDict


PUBLISHED_KEYS: Final = tuple(PublishedDict.__annotations__)

ROLES: Final[Mapping[str, str]] = {"systemmessage": "system", "usermessage": "user", "aimessage": "assistant"}
"""The `_type` of a message, and what the rest of Codejury calls it."""
