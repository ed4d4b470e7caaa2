"""From the table of evaluations to matrices: groups as rows, units of uncertainty as columns.

A group's value on a unit is the mean over the questions there (a prompt, and a model where models are not
what is grouped by), each of them the mean over its samples: however often a question was answered, it counts
once. The value of a group is the mean over its units.

The unit is the test case. Where that is what is grouped by, or there is only one, nothing can be learned by
drawing test cases; then the unit is the model, and where that is fixed as well, the single sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import polars as pl

from ...errors import InputError
from ...records import Metric
from .intervals import Numbers

SAMPLE: Final = "sample"
"""The unit of last resort: each answer for itself."""

MEASURED: Final = (
    *("score", "strict", "elapsed", "prompt_tokens", "completion_tokens", "reasoning_tokens", "cost", "stub"),
    *("speed", "speed_noisy", "allocates_more", "inferred"),
)
"""What is averaged, and so not grouped by."""

_UNITS: Final = ("test_case", "model")
_STRATA: Final = ("model", "prompt")
"""What is weighed alike within a unit."""


def unit_of(frame: pl.DataFrame, by: Sequence[str]) -> str:
    """What is drawn to find the uncertainty: `test_case`, `model` or `sample`."""
    for unit in _UNITS:
        if unit not in by and frame[unit].n_unique() > 1:
            return unit
    return SAMPLE


def judged(frame: pl.DataFrame) -> pl.DataFrame:
    """The answers with a verdict, with a number for each metric: void ones have none."""
    solved = (100.0 * pl.col("strict").cast(pl.Float64)).alias(Metric.SOLVED.value)
    return frame.filter(pl.col("score").is_not_null()).with_columns(solved)


def values(scored: pl.DataFrame, by: Sequence[str], unit: str) -> pl.DataFrame:
    """Means of each metric of each group on each unit; of each group where samples are the unit."""
    keys = [*by] if unit == SAMPLE else [*by, unit]
    strata = [name for name in _STRATA if name not in keys]
    means = [pl.col(metric.value).mean() for metric in Metric]
    # In order, each time: the last digits of a sum of fractions depend on it.
    asked = scored.group_by([*keys, *strata], maintain_order=True)
    questions = asked.agg(*means) if strata else scored
    return questions.group_by(keys, maintain_order=True).agg(*means)


def cells(
    scored: pl.DataFrame, groups: pl.DataFrame, by: Sequence[str], unit: str, metric: Metric
) -> Numbers:
    """The means: groups (rows) on units (columns, by name); NaN where a group has nothing on a unit."""
    return _matrix(values(scored, by, unit), groups, by, unit, metric.value, empty=np.nan)


def sample_sums(
    scored: pl.DataFrame, groups: pl.DataFrame, by: Sequence[str], unit: str, metric: Metric
) -> tuple[Numbers, Numbers]:
    """Sums over the samples, and numbers of samples, arranged like `cells`; 0 where there are none."""
    summed = scored.group_by([*by, unit], maintain_order=True).agg(
        pl.col(metric.value).sum(), pl.len().alias("samples")
    )
    sums = _matrix(summed, groups, by, unit, metric.value, empty=0.0)
    return sums, _matrix(summed, groups, by, unit, "samples", empty=0.0)


def _matrix(
    measured: pl.DataFrame, groups: pl.DataFrame, by: Sequence[str], unit: str, value: str, *, empty: float
) -> Numbers:
    numbered = groups.select(by).with_row_index("_group")
    units = measured.select(unit).unique().sort(unit).with_row_index("_unit")
    placed = measured.join(numbered, on=list(by), nulls_equal=True).join(units, on=unit, nulls_equal=True)
    matrix = np.full((groups.height, units.height), empty)
    matrix[placed["_group"].to_numpy(), placed["_unit"].to_numpy()] = placed[value].to_numpy()
    return matrix


def grouping(by: str | Sequence[str], frame: pl.DataFrame) -> tuple[str, ...]:
    """The columns to group by; a parameter may be named without its prefix (`temperature`)."""
    names = (by,) if isinstance(by, str) else tuple(by)
    if not names:
        raise InputError("there is nothing to group by; name a column such as 'model'")
    found = tuple(_column(name, frame) for name in names)
    if len(set(found)) < len(found):
        raise InputError(f"cannot group by {' and '.join(found)}: the same column twice")
    return found


def _column(name: str, frame: pl.DataFrame) -> str:
    for column in (name, f"parameter.{name}"):
        if column in frame.columns and column not in MEASURED and not frame[column].dtype.is_nested():
            return column
    known = ", ".join(column for column in frame.columns if column not in MEASURED)
    raise InputError(f"cannot group by {name!r}; there are: {known}")
