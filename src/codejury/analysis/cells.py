"""From the table of evaluations to matrices: groups as rows, units of uncertainty as columns.

The unit is the test case. Where that is what is grouped by, or there is only one, nothing can be learned by
drawing test cases; then the unit is the model, and where that is fixed as well, the single sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl

from ..errors import InputError
from .intervals import Numbers

SAMPLE: Final = "sample"
"""The unit of last resort: each answer for itself."""

MEASURED: Final = ("score", "strict", "elapsed", "prompt_tokens", "completion_tokens", "cost")
"""What is averaged, and so not grouped by."""

_UNITS: Final = ("test_case", "model")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """Sums and numbers of scores, for each group and unit."""

    sums: Numbers
    counts: Numbers

    @property
    def means(self) -> Numbers:
        """NaN where a group has nothing on a unit."""
        return np.divide(self.sums, self.counts, out=np.full_like(self.sums, np.nan), where=self.counts > 0)


def unit_of(frame: pl.DataFrame, by: Sequence[str]) -> str:
    """What is drawn to find the uncertainty: `test_case`, `model` or `sample`."""
    for unit in _UNITS:
        if unit not in by and frame[unit].n_unique() > 1:
            return unit
    return SAMPLE


def cells(scored: pl.DataFrame, groups: pl.DataFrame, by: Sequence[str], unit: str) -> Cells:
    """The matrices; rows in the order of `groups`, columns in that of the units' names."""
    numbered = groups.select(by).with_row_index("_group")
    units = scored.select(unit).unique().sort(unit).with_row_index("_unit")
    summed = (
        scored.group_by([*by, unit])
        .agg(pl.col("score").sum().alias("_sum"), pl.len().alias("_count"))
        .join(numbered, on=list(by), nulls_equal=True)
        .join(units, on=unit, nulls_equal=True)
    )
    shape = (groups.height, units.height)
    sums, counts = np.zeros(shape), np.zeros(shape)
    place = (summed["_group"].to_numpy(), summed["_unit"].to_numpy())
    sums[place], counts[place] = summed["_sum"].to_numpy(), summed["_count"].to_numpy()
    return Cells(sums=sums, counts=counts)


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
