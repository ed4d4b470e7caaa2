"""Which evaluations count: filters, each of which says what there was to choose from if it finds nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Final

import polars as pl

from ..errors import InputError

_SINCE: Final = {8: "%Y%m%d", 12: "%Y%m%d%H%M", 14: "%Y%m%d%H%M%S"}


def select(
    frame: pl.DataFrame,
    *,
    models: Sequence[str] = (),
    prompts: Sequence[str] = (),
    cases: Sequence[str] = (),
    experiments: Sequence[str] = (),
    since: str = "",
    where: str = "",
) -> pl.DataFrame:
    """Keep what fits all filters. Names may be patterns such as `openai/*`; test cases also `category/name`.

    `since` is a date (2024-05-01) or a moment (2024-05-01 12:30), as written in the time stamps. `where` is a
    condition in SQL on the columns of the frame; quote names with a dot: `"parameter.temperature" > 0.5`.
    """
    for patterns, column, what in (
        (models, "model", "model"),
        (prompts, "prompt", "prompt"),
        (experiments, "experiment", "experiment"),
    ):
        frame = frame.filter(_fits(frame[column], patterns, what)) if patterns else frame
    if cases:
        full = frame["category"] + "/" + frame["test_case"]
        frame = frame.filter(_fits(frame["test_case"], cases, "test case", also=full))
    if since:
        frame = frame.filter(pl.col("timestamp") >= _moment(since))
    return _where(frame, where) if where.strip() else frame


def _fits(values: pl.Series, patterns: Sequence[str], what: str, also: pl.Series | None = None) -> pl.Series:
    """Which values fit a pattern. A pattern that fits none is a slip of the pen, and an error."""
    fits = pl.repeat(value=False, n=len(values), eager=True, dtype=pl.Boolean)
    for pattern in patterns:
        hit = _like(values, pattern)
        if also is not None:
            hit = hit | _like(also, pattern)
        if not hit.any():
            raise InputError(_nothing_fits(values, pattern, what))
        fits = fits | hit
    return fits


def _like(values: pl.Series, pattern: str) -> pl.Series:
    chosen = [name for name in values.unique() if name == pattern or fnmatchcase(name or "", pattern)]
    return values.is_in(chosen)


def _nothing_fits(values: pl.Series, pattern: str, what: str) -> str:
    names = [name for name in values.unique().sort().to_list() if name]
    similar = get_close_matches(pattern, names, n=3) or names[:10]
    more = "" if len(similar) == len(names) else " ..."
    return f"no {what} fits {pattern!r}; there are: {', '.join(similar) or 'none'}{more}"


def _moment(since: str) -> str:
    """2024-05-01 -> 20240501, which sorts before all time stamps of that day."""
    digits = re.sub(r"[-:T_ ]", "", since.strip())
    try:
        datetime.strptime(digits, _SINCE[len(digits)])  # noqa: DTZ007 - time stamps have no zone either
    except (KeyError, ValueError):
        raise InputError(f"--since {since!r} is no date; write 2024-05-01 or 2024-05-01 12:30") from None
    return f"{digits[:8]}_{digits[8:]}" if digits[8:] else digits


def _where(frame: pl.DataFrame, condition: str) -> pl.DataFrame:
    try:
        return frame.filter(pl.sql_expr(condition))
    except (pl.exceptions.PolarsError, TypeError) as error:
        reason = str(error).splitlines()[0].partition("; valid columns")[0]
        columns = ", ".join(f'"{name}"' if "." in name else name for name in frame.columns)
        raise InputError(f"--where {condition!r}: {reason}. The columns are: {columns}") from error
