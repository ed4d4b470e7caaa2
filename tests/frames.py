"""Tables of evaluations for tests: say what matters, the rest is filled in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

SCHEMA: dict[str, Any] = {
    **dict.fromkeys(("model", "provider", "test_case", "category", "prompt", "strategy"), pl.String),
    **dict.fromkeys(("experiment", "device", "timestamp"), pl.String),
    **dict.fromkeys(("sample", "round"), pl.Int64),
    "outcome": pl.String,
    **dict.fromkeys(("parsed", "executed"), pl.Boolean),
    **dict.fromkeys(
        ("unit_tests_count", "unit_tests_passed", "examples_count", "examples_executed"), pl.Int64
    ),
    "score": pl.Float64,
    "strict": pl.Boolean,
    **dict.fromkeys(("prompt_tokens", "completion_tokens", "reasoning_tokens"), pl.Int64),
    **dict.fromkeys(("elapsed", "cost"), pl.Float64),
    "finish_reason": pl.String,
    "parameters": pl.String,
    "julia_version": pl.String,
    "rules_version": pl.Int64,
    **dict.fromkeys(("codejury_version", "sandbox", "extraction", "void_reason"), pl.String),
    **dict.fromkeys(("definition_hash", "prompt_hash", "packages"), pl.String),
    **dict.fromkeys(("first_kind", "first_ending", "first_error_type", "first_message"), pl.String),
    "unit_test_endings": pl.List(pl.String),
    "speed": pl.Float64,
    **dict.fromkeys(("speed_noisy", "allocates_more", "inferred"), pl.Boolean),
    "file": pl.String,
}

COMMON: dict[str, Any] = {
    "provider": "",
    "category": "maths",
    "prompt": "InJulia",
    "strategy": "1SHOT",
    "experiment": "",
    "device": "",
    "round": 0,
    "unit_tests_count": 2,
    "examples_count": 2,
    "prompt_tokens": 100,
    "completion_tokens": 200,
    "elapsed": 2.0,
    "parameters": "{}",
    "julia_version": "1.10.4",
    "packages": "CSV 0.10.1, DataFrames 1.6.1",
    "rules_version": 1,
    "definition_hash": "d",
    "prompt_hash": "p",
}


def evaluation(model: str, test_case: str, score: float | None, **changes: Any) -> dict[str, Any]:
    """One row; void if it has no score, and strict if it has all points."""
    strict = None if score is None else score == 100
    row = {
        **COMMON,
        "model": model,
        "test_case": test_case,
        "score": None if score is None else float(score),
        "strict": strict,
        "outcome": "void" if strict is None else "pass" if strict else "fail",
        "parsed": bool(score),
        "executed": bool(score),
        "unit_tests_passed": 2 if strict else 0,
        "examples_executed": 2 if strict else 0,
        **changes,
    }
    return {name: row.get(name) for name in (*SCHEMA, *(key for key in row if key.startswith("parameter.")))}


def frame_of(rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """Rows as a table with the columns of `codejury.results.index`; a time stamp and a file for each."""
    rows = [
        {
            **row,
            "timestamp": row["timestamp"] or f"20250101_120000__{number:03}",
            "file": row["file"] or f"{row['category']}/{row['test_case']}/{row['model']}/{number}.json",
        }
        for number, row in enumerate(rows)
    ]
    parameters = {key for row in rows for key in row if key.startswith("parameter.")}
    extra = dict.fromkeys(sorted(parameters), pl.Float64)
    return pl.DataFrame(rows, schema={**SCHEMA, **extra})


def board(scores: Mapping[str, Mapping[str, Iterable[float | None]]], **changes: Any) -> pl.DataFrame:
    """`{"model": {"test_case": [scores of its samples]}}` as a table."""
    return frame_of(
        evaluation(model, case, score, **changes)
        for model, cases in scores.items()
        for case, samples in cases.items()
        for score in samples
    )


def by_case(**scores: Iterable[float | None]) -> pl.DataFrame:
    """One sample of each model on the test cases case00, case01 ..."""
    return board(
        {
            model: {f"case{number:02}": [score] for number, score in enumerate(row)}
            for model, row in scores.items()
        }
    )
