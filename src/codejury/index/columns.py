"""The frame of evaluations, column by column: a contract for tables, plots and sites.

One row for each evaluation file. After `PARAMETERS` stand the columns `parameter.<name>`, one for each
sampling parameter that occurs in the tree.
"""

from __future__ import annotations

from typing import Final

import polars as pl

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
    "prompt_tokens": pl.Int64(), "completion_tokens": pl.Int64(), "elapsed": pl.Float64(),
    "cost": pl.Float64(), PARAMETERS: pl.String(),
    # how it was judged; null where the file does not say, as in the predecessor's
    "julia_version": pl.String(), "rules_version": pl.Int64(), "codejury_version": pl.String(),
    "sandbox": pl.String(), "extraction": pl.String(), "void_reason": pl.String(),
    "definition_hash": pl.String(), "prompt_hash": pl.String(),
    # the first thing that went wrong; null if nothing did, or nobody wrote it down
    "first_kind": pl.String(), "first_ending": pl.String(), "first_error_type": pl.String(),
    "first_message": pl.String(), "unit_test_endings": pl.List(pl.String()),
    # relative to the root, with forward slashes
    "file": pl.String(),
}  # fmt: skip
"""The columns that every frame has, in order."""
