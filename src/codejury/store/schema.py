"""The JSON objects on disk. `docs/files.md` explains each key; a test keeps the two in step.

An evaluation file is flat: the fields of `Request`, `Completion`, `Evaluation` and `Execution` side by side,
under their own names and with their own types. So the records are the schema: a field that is added to one
of them is written and read back without another line here, and a file of before that field has its default.
Only what differs from the records stands here: the order of the keys, the tokens as a pair, and what must
hold between the values.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import MISSING, fields
from enum import Enum, EnumType
from operator import attrgetter
from typing import Annotated, Any, Final, Literal, get_type_hints

import msgspec
from msgspec import UNSET, UnsetType

from ..records import Completion, Evaluation, Execution, Extraction, Outcome
from . import predecessor
from .samples import Request

# The number of our part of the format: the key `codejury_schema` of both files.
# A file without it is the predecessor's; a higher number than ours is refused.
# 1  first version: the predecessor's 20 keys and our own beside them
SCHEMA: Final = 1

PUBLISHED_KEYS: Final = (
    "name", "parsed", "executed", "unit_tests_count", "examples_count", "unit_tests_passed",
    "examples_executed", "tokens", "elapsed_seconds", "cost", "model", "timestamp", "prompt_strategy",
    "prompt_label", "device", "version_prompt", "schema", "version_pt", "parameters", "experiment",
)  # fmt: skip
"""The evaluation file as the predecessor writes it, and as every file of ours begins."""
# What every file of ours has, in the order of the file; what came later may be missing.
_OUR_KEYS: Final = (
    "codejury_schema", "score", "outcome", "void_reason", "rules_version", "codejury_version",
    "julia_version", "sandbox", "definition_hash", "extraction", "blocks", "tampering", "missing_packages",
    "packages", "notes", "performance", "stdout_tail", "extra", "category", "prompt_hash", "template_version",
    "asked_julia_version", "seed", "sample", "round", "run_id", "retries", "finish_reason",
    "reasoning_tokens", "judged_at", "supersedes",
)  # fmt: skip
_NEEDED: Final = (
    "outcome", "void_reason", "rules_version", "codejury_version", "julia_version", "sandbox",
    "definition_hash", "blocks", "tampering", "missing_packages", "stdout_tail", "extra", "category",
    "prompt_hash", "template_version", "round", "retries", "finish_reason", "judged_at", "supersedes",
)  # fmt: skip
"""Of those, what cannot be null."""
_needed: Final = attrgetter(*_NEEDED)

_BIG: Final = 2**53  # beyond it a float is not exact; no honest count comes near
Count = Annotated[int, msgspec.Meta(ge=0, le=_BIG)]
Whole = Annotated[int, msgspec.Meta(ge=-_BIG, le=_BIG)]
Amount = Annotated[float, msgspec.Meta(ge=0)]
Tokens = tuple[Whole | None, Whole | None]


def fields_of(record: type, *, without: Collection[str] = ()) -> tuple[str, ...]:
    return tuple(field.name for field in fields(record) if field.name not in without)


REQUEST_FIELDS: Final = fields_of(Request)
EVALUATION_FIELDS: Final = fields_of(Evaluation, without={"execution"})
EXECUTION_FIELDS: Final = fields_of(Execution, without={"stdout", "given_error"})
COMPLETION_FIELDS: Final = fields_of(
    Completion, without={"text", "prompt_tokens", "completion_tokens", "reasoning"}
)


def _types(record: type, names: Collection[str]) -> dict[str, Any]:
    """The types of a record's fields, with numbers that fit into a table, and whole ones left as they are."""
    strict: dict[Any, Any] = {
        int: Count, int | None: Whole | None, float: int | float, float | None: Count | Amount | None,
    }  # fmt: skip
    hints = get_type_hints(record)
    return {name: strict.get(hints[name], hints[name]) for name in names}


# ---- An evaluation.

_TYPES: Final[Mapping[str, Any]] = {
    **_types(Execution, EXECUTION_FIELDS),
    **_types(Evaluation, EVALUATION_FIELDS),
    **_types(Request, [name for name in REQUEST_FIELDS if name != "variables"]),
    **_types(Completion, COMPLETION_FIELDS),
    "extraction": Extraction | None,
    "rules_version": Count,
    "tokens": Tokens,
    "stdout_tail": str,
    "timestamp": str,
    "codejury_schema": Count,
    "judged_at": str,
    "supersedes": tuple[str, ...],
}
KEYS: Final = tuple(dict.fromkeys([*PUBLISHED_KEYS, *_OUR_KEYS, *_TYPES]))
"""Of an evaluation file, in their order; a key that has no place there comes last."""


def _check_and_complete(stored: Any) -> None:
    """Refuse what single values cannot show; give the predecessor's the verdict that its counts stand for."""
    if stored.unit_tests_passed > stored.unit_tests_count:
        raise ValueError(
            f"unit_tests_passed is {stored.unit_tests_passed}, more than unit_tests_count "
            f"{stored.unit_tests_count}"
        )
    if stored.examples_executed > stored.examples_count:
        raise ValueError(
            f"examples_executed is {stored.examples_executed}, more than examples_count "
            f"{stored.examples_count}"
        )
    if stored.codejury_schema is None:
        stored.score = predecessor.published_score(stored)
        stored.outcome = predecessor.published_outcome(stored)
        stored.round = predecessor.round_of(stored.prompt_strategy)
        return
    check_number(stored.codejury_schema)
    said = _needed(stored)
    if None in said:
        missing = [name for name, value in zip(_NEEDED, said, strict=True) if value is None]
        raise ValueError("; ".join(f"{name} is missing" for name in missing))
    if (stored.score is None) != (stored.outcome == Outcome.VOID):
        raise ValueError(
            f"score is {stored.score} and outcome {stored.outcome}: void, and only void, has no score"
        )
    if stored.score is not None and stored.score > 100:
        raise ValueError(f"score is {stored.score}: more than 100")


def check_number(number: int) -> None:
    """ValueError if this Codejury does not know the format."""
    if number < 1:
        raise ValueError(f"codejury_schema must be a whole number from 1, not {number}")
    if number > SCHEMA:
        raise ValueError(
            f"codejury_schema is {number}: a newer Codejury wrote it, and this one knows {SCHEMA}; upgrade"
        )


def evaluation_type(**narrower: Any) -> type[msgspec.Struct]:
    """The object of an evaluation file, by its keys; None for what it does not say.

    `narrower` are the types of keys of which a reader wants less than their record holds.
    """
    types = {**_TYPES, **narrower}
    return msgspec.defstruct(
        "EvaluationFile",
        [(key, types[key]) if key in PUBLISHED_KEYS else (key, types[key], None) for key in KEYS],
        namespace={"__post_init__": _check_and_complete},
        gc=False,  # it holds no cycles, and there can be tens of thousands
    )


def part_of(record: type, *names: str) -> type[msgspec.Struct]:
    """Some fields of a record, with plain words instead of enums: quicker where many are read."""
    hints = get_type_hints(record)
    return msgspec.defstruct(record.__name__, [(name, words(hints[name])) for name in names], gc=False)


def words(kind: Any) -> Any:
    """The type of an enum's values; any other type as it is."""
    if not isinstance(kind, EnumType):
        return kind
    members: Iterable[Enum] = kind
    return Literal[tuple(member.value for member in members)]


EvaluationFile: Final = evaluation_type()
decode_evaluation: Final = msgspec.json.Decoder(EvaluationFile).decode
"""Bytes -> EvaluationFile, quickly; one of `REFUSED` also for some files that `read_evaluation` can read."""
REFUSED: Final = (ValueError, RecursionError)


# ---- A conversation: a list of messages.


def _default(name: str) -> Any:
    field = Request.__dataclass_fields__[name]
    if field.default_factory is not MISSING:
        return msgspec.field(default_factory=field.default_factory)
    return msgspec.NODEFAULT if field.default is MISSING else field.default


AskedFile: Final = msgspec.defstruct(
    "AskedFile",
    [
        ("codejury_schema", Count),
        ("timestamp", str),
        *((name, kind, _default(name)) for name, kind in _types(Request, REQUEST_FIELDS).items()),
    ],
    namespace={"__post_init__": lambda asked: check_number(asked.codejury_schema)},
    kw_only=True,
)
"""The key `codejury` of a conversation's last message: what was asked of whom."""

ROLES: Final[Mapping[str, str]] = {"systemmessage": "system", "usermessage": "user", "aimessage": "assistant"}
"""The `_type` of a message, and what the rest of Codejury calls it."""


class MessageFile(msgspec.Struct, kw_only=True, rename={"kind": "_type"}):
    """One element of a conversation file. Which keys it has depends on `_type`, and who wrote it when."""

    content: str | None
    variables: Any = UNSET
    status: Any = UNSET
    tokens: Tokens | UnsetType | None = UNSET
    elapsed: int | float | UnsetType | None = UNSET
    cost: Count | Amount | UnsetType | None = UNSET
    log_prob: Any = UNSET
    finish_reason: str | UnsetType | None = UNSET
    run_id: Any = UNSET
    sample_id: Any = UNSET
    kind: Literal["systemmessage", "usermessage", "aimessage"]
    retries: Count | UnsetType | None = UNSET
    reasoning: str | UnsetType | None = UNSET  # only where there is some
    reasoning_tokens: Count | UnsetType | None = UNSET  # only where the service told
    codejury: AskedFile = UNSET  # type: ignore[valid-type] # made from the fields of Request


decode_conversation: Final = msgspec.json.Decoder(list[MessageFile]).decode
