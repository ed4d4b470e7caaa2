"""Sampling parameters as columns: {"options":{"num_gpu":99}} -> parameter.options.num_gpu = 99.0."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from .columns import PARAMETER_PREFIX, PARAMETERS


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
