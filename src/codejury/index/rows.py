"""From decoded files to rows: columns as they stand in the files, then what follows from them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import polars as pl
from msgspec.structs import astuple

from ..records import Ending, Outcome
from ..store import SCHEMA as NEWEST
from .categories import Categories
from .columns import SCHEMA
from .stored import Canonical, StoredBlock, StoredEvaluation

# Taken as they are: the key in the file, and the name it has in the frame.
_PLAIN: Final[dict[str, str]] = {
    "model": "model", "name": "test_case", "prompt_label": "prompt", "prompt_strategy": "strategy",
    "experiment": "experiment", "device": "device", "timestamp": "timestamp", "outcome": "outcome",
    "parsed": "parsed", "executed": "executed", "unit_tests_count": "unit_tests_count",
    "unit_tests_passed": "unit_tests_passed", "examples_count": "examples_count",
    "examples_executed": "examples_executed", "score": "score", "elapsed_seconds": "elapsed",
    "cost": "cost", "julia_version": "julia_version", "rules_version": "rules_version",
    "codejury_version": "codejury_version", "sandbox": "sandbox", "void_reason": "void_reason",
    "definition_hash": "definition_hash", "prompt_hash": "prompt_hash",
    "sample": "sample", "round": "round",
    "schema": "_service", "version_pt": "_program", "codejury_schema": "_format",
}  # fmt: skip
_HELPERS: Final[dict[str, pl.DataType]] = {
    "_service": pl.String(), "_program": pl.String(), "_format": pl.Int64(),
}  # fmt: skip
_DERIVED: Final = ("provider", "strict")
_RAW: Final = {name: dtype for name, dtype in SCHEMA.items() if name not in _DERIVED} | _HELPERS | {
    "unit_test_endings": pl.String(),
}  # fmt: skip
# In the files "" where there is nothing to say.
_FACTS: Final = (
    "julia_version", "codejury_version", "sandbox", "void_reason", "definition_hash", "prompt_hash",
    "first_error_type", "first_message",
)  # fmt: skip
_SEPARATOR: Final = ","
_PASSED: Final = Ending.PASSED.value
_TROUBLE: Final = frozenset(ending.value for ending in Ending) - {_PASSED, Ending.NOT_RUN.value}


class RawRows:
    """Makes frames of columns as they stand in the files; names of helpers begin with an underscore."""

    def __init__(self, root: str) -> None:
        self._canonical = Canonical()
        self._categories = Categories(root)

    def frame(self, files: Sequence[str], evaluations: Sequence[StoredEvaluation]) -> pl.DataFrame:
        """One row for each file."""
        if not evaluations:
            return pl.DataFrame(schema=_RAW)
        fields = zip(*map(astuple, evaluations), strict=True)
        stored: dict[str, Sequence[Any]] = dict(zip(StoredEvaluation.__struct_fields__, fields, strict=True))
        columns = {name: stored[key] for key, name in _PLAIN.items()}
        columns |= self._shared(files, stored) | _unpacked(stored)
        columns["file"] = files
        return pl.DataFrame([pl.Series(name, columns[name], dtype) for name, dtype in _RAW.items()])

    def _shared(self, files: Sequence[str], stored: Mapping[str, Sequence[Any]]) -> dict[str, Sequence[Any]]:
        """What many files have in common, so that it is worked out once."""
        canonical, categories = self._canonical, self._categories
        said = zip(stored["category"], files, stored["name"], strict=True)
        return {
            "parameters": [canonical[bytes(raw)] for raw in stored["parameters"]],
            "category": [named or categories[file.rpartition("/")[0], name] for named, file, name in said],
        }


def _unpacked(stored: Mapping[str, Sequence[Any]]) -> dict[str, Sequence[Any]]:
    """What is nested in the files, as plain columns."""
    first = [blocks and _first_trouble(blocks) for blocks in stored["blocks"]]
    return {
        "prompt_tokens": [tokens[0] for tokens in stored["tokens"]],
        "completion_tokens": [tokens[1] for tokens in stored["tokens"]],
        "extraction": [extraction and extraction.rule for extraction in stored["extraction"]],
        "first_kind": [block.kind if block else None for block in first],
        "first_ending": [block.ending if block else None for block in first],
        "first_error_type": [block.error_type if block else None for block in first],
        "first_message": [block.message if block else None for block in first],
        "unit_test_endings": [None if blocks is None else _endings(blocks) for blocks in stored["blocks"]],
    }


def _first_trouble(blocks: Sequence[StoredBlock]) -> StoredBlock | None:
    """The first block that went wrong by itself: not one that was not run because of another."""
    endings = [block.ending for block in blocks]
    if endings.count(_PASSED) == len(endings):
        return None
    return next((block for block in blocks if block.ending in _TROUBLE), None)


def _endings(blocks: Sequence[StoredBlock]) -> str:
    """How the unit tests ended, as one text: polars splits it much faster than it takes lists."""
    return _SEPARATOR.join([block.ending for block in blocks if block.kind == "unit_test"])


def contradicts_itself() -> pl.Expr:
    """Whether a raw row is to be looked at again: what single fields cannot show."""
    ours = pl.col("_format").is_not_null()
    void = pl.col("outcome") == Outcome.VOID
    said = ("outcome", "void_reason", "rules_version", "codejury_version", "julia_version", "sandbox",
            "definition_hash", "prompt_hash", "unit_test_endings")  # fmt: skip
    return (
        pl.col("parameters").is_null()
        | (pl.col("unit_tests_passed") > pl.col("unit_tests_count"))
        | (pl.col("examples_executed") > pl.col("examples_count"))
        | (pl.col("_format") > NEWEST)
        | (pl.col("_format") < 1)
        | (ours & pl.any_horizontal(pl.col(said).is_null()))
        | (ours & (pl.col("score").is_null() != void))
        | (pl.col("score") > 100)
    ).fill_null(value=False)


def complete(raw: pl.DataFrame) -> pl.DataFrame:
    """Add what follows from the raw columns, and drop the helpers."""
    ours = pl.col("_format").is_not_null()
    # Its library wrote 0 for what it did not know, and the store keeps that when an answer is judged again.
    guessed = ~ours | ~(pl.col("_program").eq("") | pl.col("_program").str.starts_with("codejury-"))
    outcome = pl.when(ours).then("outcome").when(_all_passed()).then(pl.lit("pass")).otherwise(pl.lit("fail"))
    endings = pl.col("unit_test_endings")
    said = [pl.when(pl.col(name) != "").then(name).alias(name) for name in _FACTS]
    return raw.with_columns(
        *said,
        provider=_provider(raw["_service"]),
        round=pl.coalesce("round", _round_of_strategy()),
        device=pl.when(pl.col("device") != "-").then("device").otherwise(pl.lit("")),
        outcome=outcome,
        score=pl.when(ours).then("score").otherwise(_published_score()),
        strict=pl.when(outcome != Outcome.VOID).then(outcome == Outcome.PASS),
        prompt_tokens=_known("prompt_tokens", guessed),
        completion_tokens=_known("completion_tokens", guessed),
        cost=pl.when(~guessed | (pl.col("cost") > 0)).then("cost"),
        unit_test_endings=pl.when(endings == "").then(pl.lit([], pl.List(pl.String)))
        .otherwise(endings.str.split(_SEPARATOR)),
    ).select(SCHEMA.keys())  # fmt: skip


def _round_of_strategy() -> pl.Expr:
    """The predecessor tells rounds of repair by the strategy alone: 1SHOT -> 0; 2CODEFIXER__Tiny -> 2."""
    return pl.col("strategy").str.extract(r"^(\d+)CODEFIXER").cast(pl.Int64).fill_null(0)


def _all_passed() -> pl.Expr:
    tests = pl.col("unit_tests_passed") == pl.col("unit_tests_count")
    examples = pl.col("examples_executed") == pl.col("examples_count")
    return pl.col("executed") & pl.when(pl.col("unit_tests_count") > 0).then(tests).otherwise(examples)


def _published_score() -> pl.Expr:
    """25 points for each criterion; counts as shares, and no points for what was not set."""
    shares = [
        pl.when(pl.col(listed) > 0).then(pl.col(earned) / pl.col(listed)).otherwise(0.0)
        for earned, listed in (
            ("unit_tests_passed", "unit_tests_count"), ("examples_executed", "examples_count"),
        )
    ]  # fmt: skip
    flags = [pl.col(name).cast(pl.Float64) for name in ("parsed", "executed")]
    return pl.sum_horizontal(25.0 * share for share in (*flags, *shares))


def _known(tokens: str, guessed: pl.Expr) -> pl.Expr:
    """A negative number of tokens means unknown, and so does 0 where it was guessed."""
    return pl.when((pl.col(tokens) > 0) | (pl.col(tokens).eq(0) & ~guessed)).then(tokens)


def _provider(services: pl.Series) -> pl.Expr:
    """The model's name up to the first slash, else the service that was asked."""
    asked = {service: service_name(service) for service in services.unique()}
    named = pl.col("_service").replace_strict(asked, return_dtype=pl.String)
    return pl.col("model").str.extract(r"^([^/]*)/").fill_null(named)


def service_name(schema: str) -> str:
    """The service in a file's `schema`: the predecessor's is a type of its library.

    PromptingTools.OllamaManagedSchema() -> ollama; PromptingTools.MistralOpenAISchema() -> mistral
    """
    if match := re.search(r"(\w+?)(?:Managed)?Schema\(\)$", schema):
        name = match[1].lower()
        return name.removesuffix("openai") or name
    return "" if schema == "import" else schema
