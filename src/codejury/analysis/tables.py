"""The tables: what the stored evaluations say, by model or by whatever else is asked for.

board          a ranking with all that belongs to it: the table, the margin, the answers it counts, the notes
leaderboard    its table alone: a row for each group with score, interval, ranks, rates, counts, time, cost
pivot          one number for each pair of two groupings
pairs          a row for each pair of ranked groups, with p-values
summary        the part of a leaderboard that needs no drawing

The score of a group is the mean over test cases of the mean over its questions there (see `cells`), so that
whoever answers easy ones more often gains nothing. How sure it is comes from test cases, too (`intervals`,
`ranks`). Who lacks answers that the others have is not ranked (`completeness`). Void answers are counted and
never scored; rounds of repair are no first tries (`repairs`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ..errors import InputError
from .cells import SAMPLE, cells, grouping, sample_sums, unit_of, values
from .completeness import Counted, counted
from .intervals import Numbers, bootstrap_errors, plain_errors, score_intervals
from .mixing import mixtures
from .naming import listed, noun
from .passing import passes_at_k
from .ranks import chance_of, moves, rank_intervals, sure_difference
from .repairs import first_tries, without_repairs
from .signs import sign_flip_test

COLUMNS = (
    *("score", "low", "high", "rank_low", "rank_high", "strict", "samples", "void", "zero", "full", "std"),
    *("median", "elapsed", "elapsed_median", "prompt_tokens", "completion_tokens", "cost", "lacks"),
)
NONE = "(none)"
"""How an empty name is shown as the heading of a column."""

_ALMOST = 1e-9
_NAMED = 6
_QUESTION = ("test_case", "prompt", "strategy", "experiment", "parameters")


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """A ranking, and what a reader has to know of it."""

    table: pl.DataFrame
    """The ranked groups, the best first; then those that lack something."""
    by: tuple[str, ...]
    answers: pl.DataFrame
    """The evaluations that count."""
    unit: str
    """What was drawn: `test_case`, `model` or `sample`."""
    units: int
    margin: float | None
    """Scores that are farther apart than this differ surely; None where nothing can be paired."""
    notes: tuple[str, ...]
    """What is left out, who is not ranked and why, what is mixed."""

    @property
    def ranked(self) -> pl.DataFrame:
        return self.table.filter(pl.col("lacks").is_null())


def board(
    frame: pl.DataFrame,
    by: str | Sequence[str] = ("model",),
    *,
    seed: int = 0,
    confidence: float = 0.95,
    passes: Sequence[int] = (),
    common: bool = False,
) -> Board:
    """Rank groups by the questions that at least half of them answered; with `common`, that all of them did.

    With two groupings there is nothing to rank: all answers count, and rows have no ranks.
    """
    names = grouping(by, frame)
    tries = first_tries(frame, names)
    chosen = counted(tries, names, common=common) if len(names) == 1 else Counted(frame=tries)
    scored = chosen.frame.filter(pl.col("score").is_not_null())
    table = _with_lacks(_with_absent(summary(chosen.frame, names), tries, names), names, chosen)
    unit = unit_of(scored, names) if scored.height else SAMPLE
    matrix = None if unit == SAMPLE else cells(scored, table, names, unit)
    low, high = _intervals(table, matrix, seed, confidence)
    margin = _margin(matrix, table, seed, confidence) if len(names) == 1 else None
    table = table.with_columns(_column("low", low), _column("high", high), *_ranks(table, margin))
    for k in passes:
        table = _with_pass(table, scored, names, k)
    table = table.select(*names, *COLUMNS, *(f"pass@{k}" for k in passes))
    return Board(
        table=table,
        by=names,
        answers=chosen.frame,
        unit=unit,
        units=matrix.shape[1] if matrix is not None else scored.height,
        margin=margin,
        notes=(
            *without_repairs(frame, names),
            *chosen.notes,
            *_not_ranked(table, names),
            *mixtures(chosen.frame, names, best=_titles(table, names).to_list()),
        ),
    )


def leaderboard(
    frame: pl.DataFrame,
    by: str | Sequence[str] = ("model",),
    *,
    seed: int = 0,
    confidence: float = 0.95,
    passes: Sequence[int] = (),
    common: bool = False,
) -> pl.DataFrame:
    """One row for each group: the ranked ones, the best first, then those that lack something.

    The columns are those grouped by, `COLUMNS`, and `pass@k` for each k of `passes`. Null is unknown: the
    interval of a single unit, the ranks of who lacks something (`lacks` says what) and of groups that share
    no units, the cost of a model without a price, pass@k where a question was answered fewer than k times.
    Same frame and seed, same numbers.
    """
    return board(frame, by, seed=seed, confidence=confidence, passes=passes, common=common).table


def pooled(
    frame: pl.DataFrame,
    by: str | Sequence[str] = ("model",),
    *,
    seed: int = 0,
    confidence: float = 0.95,
    passes: Sequence[int] = (),
) -> pl.DataFrame:
    """The same columns by the predecessor's rules: means over all samples alike, and no ranks."""
    names = grouping(by, frame)
    scored = frame.filter(pl.col("score").is_not_null())
    table = summary(frame, names, weighed=False)
    unit = unit_of(scored, names) if scored.height else SAMPLE
    if unit == SAMPLE:
        low, high = _intervals(table, None, seed, confidence)
    else:
        sums, samples = sample_sums(scored, table, names, unit)
        errors = bootstrap_errors(sums, samples, seed=seed)
        units = (samples > 0).sum(axis=1)
        low, high = score_intervals(_means(table), errors, units, confidence=confidence)
    table = table.with_columns(
        _column("low", low),
        _column("high", high),
        *_ranks(table, None),
        pl.lit(None, pl.String).alias("lacks"),
    )
    for k in passes:
        table = _with_pass(table, scored, names, k)
    return table.select(*names, *COLUMNS, *(f"pass@{k}" for k in passes))


def pivot(
    frame: pl.DataFrame, rows: str, columns: str, value: str = "score", *, weighed: bool = True
) -> pl.DataFrame:
    """A row for each of `rows`, the best first, and a column for each of `columns`, by name.

    The value is any number of `leaderboard` that needs no drawing: score, strict, samples, elapsed, cost ...
    """
    down, across = grouping((rows, columns), frame)
    frame = first_tries(frame, (down, across))
    long = summary(frame, (down, across), weighed=weighed)
    if value not in long.columns or value in (down, across):
        known = [name for name in COLUMNS if name in long.columns]
        raise InputError(f"cannot show {value!r} in a pivot; there are: {', '.join(known)}")
    heading = _as_heading(long[across]).alias(across)
    wide = long.with_columns(heading).pivot(across, index=down, values=value)
    best_first = summary(frame, (down,), weighed=weighed).select(down)
    ordered = [name for name in _in_order(long[across]) if name in wide.columns]
    return best_first.join(wide, on=down, how="left", nulls_equal=True, maintain_order="left").select(
        down, *ordered
    )


def pairs(
    frame: pl.DataFrame, by: str | Sequence[str] = ("model",), *, seed: int = 0, common: bool = False
) -> pl.DataFrame:
    """Every pair of ranked groups: `a`, `b` (the better one first), `difference`, `units`, and p-values.

    `p_value` of the exact test of this pair alone, `p_joint` corrected for all pairs: what ranks rest on. It
    is at most 0.05 where the difference is above the board's margin.
    """
    whole = board(frame, by, seed=seed, common=common)
    if whole.margin is None:
        raise InputError(
            f"groups by {', '.join(whole.by)} cannot be paired: they share no test cases or models"
        )
    scored = whole.answers.filter(pl.col("score").is_not_null())
    ranked = whole.ranked
    matrix = cells(
        scored.join(ranked, on=whole.by, how="semi", nulls_equal=True), ranked, whole.by, whole.unit
    )
    first, second = np.triu_indices(len(matrix), 1)
    differences = matrix[first] - matrix[second]
    moved = moves(matrix, seed=seed)
    means = differences.mean(axis=1)
    names = _titles(ranked, whole.by)
    return pl.DataFrame(
        {
            "a": names.gather(first),
            "b": names.gather(second),
            "difference": means,
            "units": np.full(len(first), matrix.shape[1]),
            "p_value": np.array([sign_flip_test(row) for row in differences]),
            "p_joint": np.array([chance_of(float(mean), moved) for mean in means]),
        }
    )


def summary(frame: pl.DataFrame, names: Sequence[str], *, weighed: bool = True) -> pl.DataFrame:
    """All that needs no drawing, sorted by score; ties by name.

    Not `weighed`, score and strict rate are means over all samples alike, as everything else is.
    """
    score, valid = pl.col("score"), pl.col("score").is_not_null()
    table = frame.group_by(list(names)).agg(
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
    if weighed:
        table = _weighed(table, frame.filter(valid), names)
    return table.sort(["score", *names], descending=[True, *(False for _ in names)], nulls_last=True)


def _weighed(table: pl.DataFrame, scored: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """The table with score and strict rate as means over units of means over questions."""
    unit = unit_of(scored, names) if scored.height else SAMPLE
    means = values(scored, names, unit)
    if unit != SAMPLE:
        means = means.group_by(list(names)).agg(pl.col("score").mean(), pl.col("strict").mean())
    return table.drop("score", "strict").join(means, on=list(names), how="left", nulls_equal=True)


def _with_absent(table: pl.DataFrame, tries: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """The table with a row for groups that have no answer to anything that counts."""
    groups = tries.select(names).unique().sort(names)
    absent = groups.join(table, on=list(names), how="anti", nulls_equal=True)
    counts = [pl.lit(0, pl.Int64).alias(name) for name in ("samples", "void", "zero", "full")]
    return pl.concat([table, absent.with_columns(counts)], how="diagonal")


def _with_lacks(table: pl.DataFrame, names: Sequence[str], chosen: Counted) -> pl.DataFrame:
    """What each group lacks, and those that lack something behind the others, in their order."""
    nothing = "every answer that counts"
    reasons = [
        chosen.lacks.get(tuple(group)) or (nothing if score is None else None)
        for *group, score in table.select(*names, "score").iter_rows()
    ]
    lacks = pl.Series("lacks", reasons, dtype=pl.String)
    return table.with_columns(lacks).sort(lacks.is_not_null(), maintain_order=True)


def _not_ranked(table: pl.DataFrame, names: Sequence[str]) -> list[str]:
    """Who is not ranked and what they lack, the best first."""
    apart = table.filter(pl.col("lacks").is_not_null())
    if apart.is_empty():
        return []
    told = [f"{name} ({lacks})" for name, lacks in zip(_titles(apart, names), apart["lacks"], strict=True)]
    what = noun(names[0])
    nobody = f"No {what} can be ranked" if apart.height == table.height else "Not ranked"
    return [f"{nobody}, for want of answers: {listed(told, _NAMED)}. --common compares on what all have."]


def _intervals(
    table: pl.DataFrame, matrix: Numbers | None, seed: int, confidence: float
) -> tuple[Numbers, Numbers]:
    """Lower ends and upper ends of a summary's rows."""
    means = _means(table)
    if matrix is None:
        samples = table["samples"].to_numpy()
        errors = plain_errors(table["std"].fill_null(np.nan).to_numpy(), samples)
        return score_intervals(means, errors, samples, confidence=confidence)
    there = np.isfinite(matrix)
    errors = bootstrap_errors(np.where(there, matrix, 0.0), there.astype(np.float64), seed=seed)
    return score_intervals(means, errors, there.sum(axis=1), confidence=confidence)


def _means(table: pl.DataFrame) -> Numbers:
    return table["score"].fill_null(np.nan).to_numpy()


def _margin(matrix: Numbers | None, table: pl.DataFrame, seed: int, confidence: float) -> float | None:
    """The margin of the ranked rows, which have all units; None where groups share none."""
    ranked = table["lacks"].is_null().to_numpy()
    if matrix is None or not ranked.any() or not np.isfinite(matrix[ranked]).all():
        return None
    return sure_difference(moves(matrix[ranked], seed=seed), confidence)


def _ranks(table: pl.DataFrame, margin: float | None) -> tuple[pl.Expr, pl.Expr]:
    """The rank intervals of the rows; null for those that are not ranked."""
    low, high = np.zeros(table.height, np.int64), np.zeros(table.height, np.int64)
    if margin is not None:
        ranked = table["lacks"].is_null().to_numpy()
        low[ranked], high[ranked] = rank_intervals(_means(table)[ranked], margin)
    return _column("rank_low", low), _column("rank_high", high)


def _column(name: str, numbers: Numbers | NDArray[np.int64]) -> pl.Expr:
    """A column in which what is not known is null; a rank of 0 is not known."""
    known = numbers > 0 if numbers.dtype == np.int64 else np.isfinite(numbers)
    return pl.lit(pl.Series(numbers).set(pl.Series(~known), None)).alias(name)


def _titles(table: pl.DataFrame, names: Sequence[str]) -> pl.Series:
    """What the rows are called in sentences."""
    columns = [_as_heading(table[name]) for name in names]
    return table.select(pl.concat_str(columns, separator=" / ").alias("title")).to_series()


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
