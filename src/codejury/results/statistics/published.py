"""The tables of the predecessor (Julia-LLM-Leaderboard), by its rules.

Its last five samples of each device, test case, model, prompt and strategy count: load with
`max_history=PUBLISHED_HISTORY`. Of these, five prompts. Means over samples, the sample standard deviation,
and rounding half to even of x * 10^d, as Julia does it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import polars as pl

from ...records import Metric
from .cells import grouping
from .tables import summary

PUBLISHED_HISTORY: Final = 5
PUBLISHED_PROMPTS: Final = (
    "InJulia",
    "JuliaExpertAsk",
    "JuliaExpertCoTTask",
    "JuliaRecapTask",
    "JuliaRecapCoTTask",
)

_HEADINGS: Final = {
    "elapsed": ("Elapsed", 1),
    "elapsed_median": ("Elapsed Median", 1),
    "score": ("Score", 1),
    "median": ("Score Median", 1),
    "std": ("Score Std Deviation", 1),
    "zero": ("Count Zero Score", 1),
    "full": ("Count Full Score", 1),
}


def published_selection(frame: pl.DataFrame) -> pl.DataFrame:
    """The evaluations under the five prompts that its tables count."""
    return frame.filter(pl.col("prompt").is_in(PUBLISHED_PROMPTS))


def published_table(frame: pl.DataFrame, by: str | Sequence[str] = ("model",)) -> pl.DataFrame:
    """The predecessor's columns, rounded as it rounds; with `Cost Cents` where something was paid."""
    names = grouping(by, frame)
    table = summary(published_selection(frame), names, metric=Metric.SCORE, weighed=False)
    columns = [_rounded(table[name], digits).alias(heading) for name, (heading, digits) in _HEADINGS.items()]
    if (table["cost"].fill_null(0) > 0).any():
        columns.append(_rounded(table["cost"] * 100, 2).alias("Cost Cents"))
    return table.select(*names, *columns)


def _rounded(values: pl.Series, digits: int) -> pl.Series:
    """Half to even of x * 10^d, divided again: numpy's rounding is the same."""
    if values.dtype == pl.Int64:
        return values
    return pl.Series(np.round(values.to_numpy(), digits)).fill_nan(None)
