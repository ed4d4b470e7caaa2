"""Which evaluations count: filters, each of which says what there was to choose from if it finds nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Final

import polars as pl

from ...errors import InputError, suggestion
from ...records import TestCase, case_fits

_SINCE: Final = {8: "%Y%m%d", 12: "%Y%m%d%H%M", 14: "%Y%m%d%H%M%S"}


def with_cases(
    frame: pl.DataFrame, cases: Mapping[str, TestCase], stubs: Mapping[str, float]
) -> pl.DataFrame:
    """The frame with what its test cases say of themselves: `level`, `kind`, and the `stub` score.

    Level and kind are "", and the score null, where they are not known.
    """
    facts = pl.DataFrame(
        [(name, case.level, case.kind, stubs.get(name)) for name, case in sorted(cases.items())],
        schema={"test_case": pl.String, "level": pl.String, "kind": pl.String, "stub": pl.Float64},
        orient="row",
    )
    joined = frame.join(facts, on="test_case", how="left", maintain_order="left")
    return joined.with_columns(pl.col("level", "kind").fill_null(""))


def select(
    frame: pl.DataFrame,
    *,
    models: Sequence[str] = (),
    prompts: Sequence[str] = (),
    cases: Sequence[str] = (),
    not_cases: Sequence[str] = (),
    experiments: Sequence[str] = (),
    levels: Sequence[str] = (),
    kinds: Sequence[str] = (),
    julias: Sequence[str] = (),
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
        (levels, "level", "level"),
        (kinds, "kind", "kind"),
        (julias, "julia_version", "Julia"),
    ):
        if patterns and column not in frame.columns:
            raise InputError(f"there is no {column} to choose by: the definitions are not at hand")
        frame = frame.filter(_fits(frame[column], patterns, what)) if patterns else frame
    if cases:
        frame = frame.filter(_fitting_cases(frame, cases))
    if not_cases:
        frame = frame.filter(~_fitting_cases(frame, not_cases))
    if since:
        frame = frame.filter(pl.col("timestamp") >= _moment(since))
    return _where(frame, where) if where.strip() else frame


def _fits(values: pl.Series, patterns: Sequence[str], what: str) -> pl.Series:
    """Which values fit a pattern. A pattern that fits none is a typing error of the user."""
    chosen: list[str] = []
    for pattern in patterns:
        hits = [name for name in values.unique() if name == pattern or fnmatchcase(name or "", pattern)]
        if not hits:
            raise InputError(_nothing_fits(values, pattern, what))
        chosen += hits
    return values.is_in(chosen)


def _fitting_cases(frame: pl.DataFrame, patterns: Sequence[str]) -> pl.Expr:
    """As `_fits`, by the rule for test cases."""
    known = frame.select("category", "test_case").unique()
    chosen: list[tuple[str | None, str]] = []
    for pattern in patterns:
        hits = [(group, name) for group, name in known.rows() if case_fits(pattern, group or "", name)]
        if not hits:
            raise InputError(_nothing_fits(frame["test_case"], pattern, "test case"))
        chosen += hits
    rows = pl.DataFrame(chosen, schema=known.schema, orient="row").unique()
    return pl.struct("category", "test_case").is_in(rows.to_struct().implode())


def _nothing_fits(values: pl.Series, pattern: str, what: str) -> str:
    names = [name for name in values.unique().sort().to_list() if name]
    return f"no {what} fits {pattern!r}; {suggestion(pattern, names)}"


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
