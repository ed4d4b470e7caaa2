"""The tables: what the stored evaluations say, by model or by whatever else is asked for.

leaderboard    a row for each group: score, interval, tier, rates, counts, time, tokens, cost
pivot          one number for each pair of two groupings
pairs          a row for each pair of groups, with p-values
summary        the part of a leaderboard that needs no drawing

The score of a group is the mean over its samples, as everybody computes it; how sure it is comes from test
cases (see `intervals`). Void answers are counted and never scored.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ..errors import InputError
from .cells import SAMPLE, Cells, cells, grouping, unit_of
from .intervals import Numbers, bootstrap_errors, plain_errors, score_intervals
from .passing import passes_at_k
from .signs import holm, sign_flip_test, step_down
from .tiers import pair_differences, tiers, told_apart

COLUMNS = (
    *("score", "low", "high", "tier", "strict", "samples", "void", "zero", "full", "std", "median"),
    *("elapsed", "elapsed_median", "prompt_tokens", "completion_tokens", "cost"),
)
NONE = "(none)"
"""How an empty name is shown as the heading of a column."""

_ALMOST = 1e-9
_QUESTION = ("test_case", "prompt", "strategy", "experiment", "parameters")


def leaderboard(
    frame: pl.DataFrame,
    by: str | Sequence[str] = ("model",),
    *,
    seed: int = 0,
    confidence: float = 0.95,
    passes: Sequence[int] = (),
    tiered: bool = True,
) -> pl.DataFrame:
    """One row for each group, the best first. Same frame and seed, same numbers.

    The columns are those grouped by, `COLUMNS`, and `pass@k` for each k of `passes`. Null is unknown: the
    interval of a single unit, the tier of groups that share no units, the cost of a model without a price,
    pass@k where a question was answered fewer than k times. Tiers take the longest of all, since every pair
    of groups is looked at; without `tiered` they are null.
    """
    names = grouping(by, frame)
    scored = frame.filter(pl.col("score").is_not_null())
    table = summary(frame, names)
    low, high, matrix = _uncertainty(scored, table, names, seed, confidence)
    numbers = _tiers(matrix, table, seed) if matrix and tiered else None
    table = table.with_columns(_column("low", low), _column("high", high), _column("tier", numbers))
    for k in passes:
        table = _with_pass(table, scored, names, k)
    return table.select(*names, *COLUMNS, *(f"pass@{k}" for k in passes))


def pivot(frame: pl.DataFrame, rows: str, columns: str, value: str = "score") -> pl.DataFrame:
    """A row for each of `rows`, the best first, and a column for each of `columns`, by name.

    The value is any number of `leaderboard` that needs no drawing: score, strict, samples, elapsed, cost ...
    """
    down, across = grouping((rows, columns), frame)
    long = summary(frame, (down, across))
    if value not in long.columns or value in (down, across):
        known = [name for name in COLUMNS if name in long.columns]
        raise InputError(f"cannot show {value!r} in a pivot; there are: {', '.join(known)}")
    heading = _as_heading(long[across]).alias(across)
    wide = long.with_columns(heading).pivot(across, index=down, values=value)
    best_first = summary(frame, (down,)).select(down)
    ordered = [name for name in _in_order(long[across]) if name in wide.columns]
    return best_first.join(wide, on=down, how="left", nulls_equal=True, maintain_order="left").select(
        down, *ordered
    )


def pairs(frame: pl.DataFrame, by: str | Sequence[str] = ("model",), *, seed: int = 0) -> pl.DataFrame:
    """Every pair of groups: `a`, `b` (the better one first), `difference`, `units`, and p-values.

    `p_value` of the exact test, `p_holm` the same after Holm, `p_joint` after the joint correction that tiers
    rest on. The difference is the mean over the test cases that both have, each counted once.
    """
    names = grouping(by, frame)
    scored = frame.filter(pl.col("score").is_not_null())
    unit = unit_of(scored, names)
    if unit == SAMPLE:
        raise InputError(f"groups by {', '.join(names)} cannot be paired: they share no test cases or models")
    table = summary(frame, names)
    matrix = cells(scored, table, names, unit).means
    first, second, differences = pair_differences(matrix)
    both = np.isfinite(matrix[first] - matrix[second])
    shared = both.sum(axis=1)
    p_values = np.array([sign_flip_test(row) for row in differences])
    labels = table.select(pl.concat_str([_as_heading(table[name]) for name in names], separator=" / "))
    titles = labels.to_series()
    return pl.DataFrame(
        {
            "a": titles.gather(first),
            "b": titles.gather(second),
            "difference": _known(differences.sum(axis=1) / np.maximum(shared, 1), shared > 0),
            "units": shared,
            "p_value": p_values,
            "p_holm": holm(p_values),
            "p_joint": step_down(differences, seed=seed) if len(differences) else p_values,
        }
    )


def summary(frame: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """All that needs no drawing, sorted by score; ties by name."""
    score, valid = pl.col("score"), pl.col("score").is_not_null()
    return (
        frame.group_by(list(names))
        .agg(
            score.mean(),
            pl.col("strict").cast(pl.Float64).mean(),
            valid.sum().cast(pl.Int64).alias("samples"),
            (pl.col("outcome") == "void").sum().cast(pl.Int64).alias("void"),
            (score < _ALMOST).sum().cast(pl.Int64).alias("zero"),
            (score > 100 - _ALMOST).sum().cast(pl.Int64).alias("full"),
            score.std().alias("std"),
            score.median().alias("median"),
            pl.col("elapsed").filter(valid).mean(),
            pl.col("elapsed").filter(valid).median().alias("elapsed_median"),
            *(pl.col(name).filter(valid).mean() for name in ("prompt_tokens", "completion_tokens", "cost")),
        )
        .sort(["score", *names], descending=[True, *(False for _ in names)], nulls_last=True)
    )


def _uncertainty(
    scored: pl.DataFrame, table: pl.DataFrame, names: tuple[str, ...], seed: int, confidence: float
) -> tuple[Numbers, Numbers, Cells | None]:
    """Lower ends and upper ends of a summary's rows, and what they share, if they share units."""
    means = _means(table)
    unit = unit_of(scored, names) if scored.height else SAMPLE
    if unit == SAMPLE:
        counts = table["samples"].to_numpy()
        errors = plain_errors(table["std"].fill_null(np.nan).to_numpy(), counts)
        return *score_intervals(means, errors, counts, confidence=confidence), None
    matrix = cells(scored, table, names, unit)
    errors = bootstrap_errors(matrix.sums, matrix.counts, seed=seed)
    units = (matrix.counts > 0).sum(axis=1)
    return *score_intervals(means, errors, units, confidence=confidence), matrix


def _means(table: pl.DataFrame) -> Numbers:
    return table["score"].fill_null(np.nan).to_numpy()


def _tiers(matrix: Cells, table: pl.DataFrame, seed: int) -> NDArray[np.int64] | None:
    """Tiers of the rows, which are sorted already; none where no two groups share a unit."""
    means = _means(table)
    shared = (matrix.counts > 0).sum(axis=0)
    if len(means) > 1 and shared.max(initial=0) < 2:
        return None
    numbers = tiers(np.arange(len(means)), told_apart(matrix.means, seed=seed))
    numbers[~np.isfinite(means)] = 0  # nothing but void: no place in the ranking
    return numbers


def _column(name: str, values: NDArray[np.float64] | NDArray[np.int64] | None) -> pl.Expr:
    """A column in which what is not known is null."""
    if values is None:
        return pl.lit(None, dtype=pl.Int64).alias(name)
    known = values > 0 if values.dtype == np.int64 else np.isfinite(values)
    return pl.lit(_known(values, known)).alias(name)


def _known(values: NDArray[np.float64] | NDArray[np.int64], known: NDArray[np.bool_]) -> pl.Series:
    return pl.Series(values).set(pl.Series(~known), None)


def _with_pass(table: pl.DataFrame, scored: pl.DataFrame, names: Sequence[str], k: int) -> pl.DataFrame:
    """Add pass@k: of each question on its own, then the mean; null if one was answered too seldom."""
    if k < 1:
        raise InputError(f"pass@{k} means nothing; k is at least 1")
    keys = [*names, *(name for name in _QUESTION if name not in names)]
    questions = scored.group_by(keys).agg(pl.len().alias("_n"), pl.col("strict").sum().alias("_passed"))
    chances = passes_at_k(questions["_n"].to_numpy(), questions["_passed"].to_numpy(), k)
    name = f"pass@{k}"
    rates = (
        questions.with_columns(pl.Series(name, chances))
        .group_by(list(names))
        .agg(pl.col(name).mean().fill_nan(None))
    )
    return table.join(rates, on=list(names), how="left", nulls_equal=True, maintain_order="left")


def _as_heading(values: pl.Series) -> pl.Series:
    return values.cast(pl.String).fill_null(NONE).replace("", NONE)


def _in_order(values: pl.Series) -> list[str]:
    """The headings in the order of the values: numbers by size, names by letter."""
    return _as_heading(values.unique().sort(nulls_last=True)).to_list()
