"""The frame of evaluations, and how files become its rows: columns as they stand there, then what follows.

The columns are a contract for tables, plots and sites: one row for each evaluation file. After `PARAMETERS`
stand the columns `parameter.<name>`, one for each sampling parameter that occurs in the tree.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
import polars as pl
from msgspec.structs import astuple

from ...records import Block, BlockKind, Ending, Extraction, Outcome
from ...store.predecessor import category_of, known_measures, service_name
from ...store.schema import EvaluationFile, evaluation_type, part_of, words

PARAMETERS: Final = "parameters"
PARAMETER_PREFIX: Final = "parameter."

SCHEMA: Final[dict[str, pl.DataType]] = {
    # what was asked of whom
    "model": pl.String(), "provider": pl.String(), "test_case": pl.String(), "category": pl.String(),
    "prompt": pl.String(), "strategy": pl.String(), "experiment": pl.String(), "device": pl.String(),
    "timestamp": pl.String(), "sample": pl.Int64(), "round": pl.Int64(),
    # the verdict
    "outcome": pl.String(), "parsed": pl.Boolean(), "executed": pl.Boolean(),
    "unit_tests_count": pl.Int64(), "unit_tests_passed": pl.Int64(), "examples_count": pl.Int64(),
    "examples_executed": pl.Int64(), "score": pl.Float64(), "strict": pl.Boolean(),
    # what it took
    "prompt_tokens": pl.Int64(), "completion_tokens": pl.Int64(), "reasoning_tokens": pl.Int64(),
    "elapsed": pl.Float64(), "cost": pl.Float64(), "finish_reason": pl.String(), PARAMETERS: pl.String(),
    # how it was judged; null where the file does not say, as in the predecessor's
    "julia_version": pl.String(), "rules_version": pl.Int64(), "codejury_version": pl.String(),
    "sandbox": pl.String(), "extraction": pl.String(), "void_reason": pl.String(),
    "definition_hash": pl.String(), "prompt_hash": pl.String(), "packages": pl.String(),
    # the first thing that went wrong; null if nothing did, or nobody wrote it down
    "first_kind": pl.String(), "first_ending": pl.String(), "first_error_type": pl.String(),
    "first_message": pl.String(), "unit_test_endings": pl.List(pl.String()),
    # how fast it is, which no points depend on; null where nothing was measured
    "speed": pl.Float64(), "speed_noisy": pl.Boolean(), "allocates_more": pl.Boolean(),
    "inferred": pl.Boolean(),
    # relative to the root, with forward slashes
    "file": pl.String(),
}  # fmt: skip
"""The columns that every frame has, in order."""

# Taken as they are: the key in the file, and the name it has in the frame.
_PLAIN: Final[dict[str, str]] = {
    "model": "model", "name": "test_case", "prompt_label": "prompt", "prompt_strategy": "strategy",
    "experiment": "experiment", "device": "device", "timestamp": "timestamp", "outcome": "outcome",
    "parsed": "parsed", "executed": "executed", "unit_tests_count": "unit_tests_count",
    "unit_tests_passed": "unit_tests_passed", "examples_count": "examples_count",
    "examples_executed": "examples_executed", "score": "score", "elapsed_seconds": "elapsed",
    "julia_version": "julia_version", "rules_version": "rules_version",
    "codejury_version": "codejury_version", "sandbox": "sandbox", "void_reason": "void_reason",
    "definition_hash": "definition_hash", "prompt_hash": "prompt_hash",
    "sample": "sample", "round": "round", "finish_reason": "finish_reason",
    "reasoning_tokens": "reasoning_tokens",
    "schema": "_service",
}  # fmt: skip
_DERIVED: Final = ("provider", "strict")
_RAW: Final = {name: dtype for name, dtype in SCHEMA.items() if name not in _DERIVED} | {
    "_service": pl.String(), "unit_test_endings": pl.String(),
}  # fmt: skip
# In the files "" where there is nothing to say.
_FACTS: Final = (
    "julia_version", "codejury_version", "sandbox", "void_reason", "definition_hash", "prompt_hash",
    "first_error_type", "first_message", "finish_reason", "packages",
)  # fmt: skip
_SEPARATOR: Final = ","
_PASSED: Final = Ending.PASSED.value
_TROUBLE: Final = frozenset(ending.value for ending in Ending) - {_PASSED, Ending.NOT_RUN.value}
_UNIT_TEST: Final = BlockKind.UNIT_TEST.value

decode: Final = msgspec.json.Decoder(
    evaluation_type(
        outcome=words(Outcome),
        extraction=part_of(Extraction, "rule") | None,
        blocks=list[part_of(Block, "kind", "ending", "error_type", "message")],  # type: ignore[misc]
    )
).decode
"""Bytes -> EvaluationFile with as much of the blocks as becomes columns."""


class RawRows:
    """Makes frames of columns as they stand in the files; names of helpers begin with an underscore."""

    def __init__(self, root: str) -> None:
        self._canonical = Canonical()
        self._categories = Categories(root)

    def frame(self, files: Sequence[str], evaluations: Sequence[msgspec.Struct]) -> pl.DataFrame:
        """One row for each file."""
        if not evaluations:
            return pl.DataFrame(schema=_RAW)
        fields = zip(*map(astuple, evaluations), strict=True)
        stored: dict[str, Sequence[Any]] = dict(zip(EvaluationFile.__struct_fields__, fields, strict=True))
        columns = {name: stored[key] for key, name in _PLAIN.items()}
        columns |= self._shared(files, stored) | _unpacked(stored) | _measured(evaluations)
        columns["file"] = files
        return pl.DataFrame([pl.Series(name, columns[name], dtype) for name, dtype in _RAW.items()])

    def _shared(self, files: Sequence[str], stored: Mapping[str, Sequence[Any]]) -> dict[str, Sequence[Any]]:
        """What many files have in common, so that it is worked out once."""
        canonical, categories = self._canonical, self._categories
        said = zip(stored["category"], files, stored["name"], strict=True)
        return {
            "parameters": [canonical[msgspec.json.encode(value)] for value in stored["parameters"]],
            "category": [named or categories[file.rpartition("/")[0], name] for named, file, name in said],
        }


def _unpacked(stored: Mapping[str, Sequence[Any]]) -> dict[str, Sequence[Any]]:
    """What is nested in the files, as plain columns."""
    first = [blocks and _first_trouble(blocks) for blocks in stored["blocks"]]
    measured = [one if one and one.speed is not None else None for one in stored["performance"]]
    return {
        "speed": [one and one.speed for one in measured],
        "speed_noisy": [one and one.noisy for one in measured],
        "allocates_more": [one and one.allocates_more for one in measured],
        "inferred": [one and one.inferred for one in measured],
        "extraction": [extraction and extraction.rule for extraction in stored["extraction"]],
        "packages": [_versions(packages) if packages else None for packages in stored["packages"]],
        "first_kind": [block.kind if block else None for block in first],
        "first_ending": [block.ending if block else None for block in first],
        "first_error_type": [block.error_type if block else None for block in first],
        "first_message": [block.message if block else None for block in first],
        "unit_test_endings": [None if blocks is None else _endings(blocks) for blocks in stored["blocks"]],
    }


def _measured(evaluations: Sequence[msgspec.Struct]) -> dict[str, Sequence[Any]]:
    known = zip(*map(known_measures, evaluations), strict=True)
    return dict(zip(("prompt_tokens", "completion_tokens", "cost"), known, strict=True))


def _first_trouble(blocks: Sequence[Block]) -> Block | None:
    """The first block that went wrong by itself: not one that was not run because of another."""
    endings: list[str] = [block.ending for block in blocks]
    if endings.count(_PASSED) == len(endings):
        return None
    return next((block for block in blocks if block.ending in _TROUBLE), None)


def _versions(packages: Mapping[str, str]) -> str:
    """`CSV 0.10.1, DataFrames 1.1.0`."""
    return ", ".join(f"{name} {version}" for name, version in sorted(packages.items()))


def _endings(blocks: Sequence[Block]) -> str:
    """How the unit tests ended, as one text: polars splits it much faster than it takes lists."""
    return _SEPARATOR.join([block.ending for block in blocks if block.kind == _UNIT_TEST])


def complete(raw: pl.DataFrame) -> pl.DataFrame:
    """Add what follows from the raw columns, and drop the helpers."""
    outcome = pl.col("outcome")
    endings = pl.col("unit_test_endings")
    said = [pl.when(pl.col(name) != "").then(name).alias(name) for name in _FACTS]
    return raw.with_columns(
        *said,
        provider=_provider(raw["_service"]),
        device=pl.when(pl.col("device") != "-").then("device").otherwise(pl.lit("")),
        strict=pl.when(outcome != Outcome.VOID).then(outcome == Outcome.PASS),
        unit_test_endings=pl.when(endings == "").then(pl.lit([], pl.List(pl.String)))
        .otherwise(endings.str.split(_SEPARATOR)),
    ).select(SCHEMA.keys())  # fmt: skip


def _provider(services: pl.Series) -> pl.Expr:
    """The model's name up to the first slash, else the service that was asked."""
    asked = {service: service_name(service) for service in services.unique()}
    named = pl.col("_service").replace_strict(asked, return_dtype=pl.String)
    return pl.col("model").str.extract(r"^([^/]*)/").fill_null(named)


# ---- Sampling parameters as canonical JSON.


class Canonical(dict[bytes, str]):
    """Parameters as canonical JSON, by the bytes they are quickly written as.

    A tree holds few different ones, so each is worked out once.
    """

    def __missing__(self, spelt: bytes) -> str:
        value = json.loads(spelt)
        self[spelt] = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return self[spelt]


# ---- Sampling parameters as columns: {"options":{"num_gpu":99}} -> parameter.options.num_gpu = 99.0.


def with_parameters(frame: pl.DataFrame) -> pl.DataFrame:
    """Add one column for each parameter that occurs, in the order of their names."""
    texts = frame[PARAMETERS].unique().sort()
    tables = [dict(_flat(json.loads(text))) for text in texts]
    names = sorted({name for table in tables for name in table})
    if not names:
        return frame
    columns = [_column(name, [table.get(name) for table in tables]) for name in names]
    expanded = pl.DataFrame([texts, *columns])
    at = frame.columns.index(PARAMETERS) + 1
    order = [*frame.columns[:at], *(column.name for column in columns), *frame.columns[at:]]
    return frame.join(expanded, on=PARAMETERS, how="left", maintain_order="left").select(order)


def _flat(table: Mapping[str, Any], prefix: str = PARAMETER_PREFIX) -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _column(name: str, values: list[Any]) -> pl.Series:
    """Numbers if all are, else texts: strings as they are, anything else as JSON."""
    if all(value is None or type(value) in (int, float) for value in values):
        return pl.Series(name, [None if value is None else float(value) for value in values], pl.Float64)
    return pl.Series(name, [_text(value) for value in values], pl.String)


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


# ---- The category of an evaluation that does not name it: the folder above the test case's own.


class Categories(dict[tuple[str, str], str]):
    """By folder (relative to the root) and test case, each worked out once."""

    def __init__(self, root: str) -> None:
        super().__init__()
        self._root = root

    def __missing__(self, place: tuple[str, str]) -> str:
        self[place] = category_of(f"{self._root}/{place[0]}", place[1])
        return self[place]
