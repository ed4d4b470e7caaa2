"""The tables: what the stored evaluations say, by model or by whatever else is asked for.

board          a ranking with all that belongs to it: the table, the margin, the answers it counts, the notes
leaderboard    its table alone: a row for each group with its value, interval, ranks, counts, time, cost
pivot          one number for each pair of two groupings
pairs          a row for each pair of ranked groups, with p-values
summary        the part of a leaderboard that needs no drawing

Groups are ranked by a metric (`Metric`): the share of answers that solve the task, or the score. Its value is
the mean over test cases of the mean over the group's questions there (see `cells`), so that whoever answers
easy ones more often gains nothing. How sure it is comes from test cases, too (`intervals`, `ranks`). Who
lacks answers that the others have is not ranked (`completeness`). Void answers are counted and never scored;
rounds of repair are no first tries (`repairs`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ...errors import InputError
from ...records import CUT_SHORT, EMPTY, Level, Metric, TaskKind
from .cells import SAMPLE, cells, grouping, judged, sample_sums, unit_of, values
from .completeness import Counted, counted
from .intervals import Numbers, bootstrap_errors, plain_errors, score_intervals
from .mixtures import listed, mixtures, noun
from .power import all_passes, passes_at_k
from .ranks import chance_of, moves, rank_intervals, sign_flip_test, sure_difference
from .repairs import first_tries, without_repairs
from .void_cases import void_cases

COLUMNS = (
    *("solved", "low", "high", "rank_low", "rank_high", "score", "lift", "near"),
    *("samples", "void", "zero", "full"),
    *("std", "median", "elapsed", "elapsed_median", "prompt_tokens", "completion_tokens", "reasoning_tokens"),
    *("cost", "cost_per_solved", "elapsed_per_solved", "cut_short", "empty", "lacks"),
    *("speed", "speed_cases", "speed_noisy", "allocates_more", "inferred"),
)
NONE = "(none)"
"""How an empty name is shown as the heading of a column."""

_ALMOST = 1e-9
_DIGITS = 9
_TAKEN = ("prompt_tokens", "completion_tokens", "reasoning_tokens", "cost")
MOST_CUT_SHORT = 0.02
"""The share of answers that may hit their limit of tokens before a reader is warned."""
_NEARLY = 2
"""Unit tests that may fail in an answer that nearly solves its task."""
_NAMED = 6
_MOST_NOISY = 0.5
"""The share of noisy speeds from which on a mean of them is called unsure."""
_QUESTION = ("test_case", "prompt", "strategy", "experiment", "parameters")


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """A ranking, and what a reader has to know of it."""

    table: pl.DataFrame
    """The ranked groups, the best first; then those that lack something."""
    by: tuple[str, ...]
    metric: Metric
    """What is ranked by, and what `low` and `high` are of."""
    answers: pl.DataFrame
    """The evaluations that count."""
    unit: str
    """What was drawn: `test_case`, `model` or `sample`."""
    units: int
    margin: float | None
    """Groups that are farther apart than this differ surely; None where nothing can be paired."""
    notes: tuple[str, ...]
    """What is left out, who is not ranked and why, what is mixed."""

    @property
    def ranked(self) -> pl.DataFrame:
        return self.table.filter(pl.col("lacks").is_null())


def board(
    frame: pl.DataFrame,
    by: str | Sequence[str] = ("model",),
    *,
    metric: Metric = Metric.SOLVED,
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
    scored = judged(chosen.frame)
    table = _with_absent(summary(chosen.frame, names, metric=metric), tries, names)
    table = _with_lacks(table, names, chosen)
    unit = unit_of(scored, names) if scored.height else SAMPLE
    matrix = None if unit == SAMPLE else cells(scored, table, names, unit, metric)
    low, high = _intervals(table, matrix, metric, seed, confidence)
    margin = _margin(matrix, table, seed, confidence) if len(names) == 1 else None
    table = table.with_columns(_column("low", low), _column("high", high), *_ranks(table, metric, margin))
    for k in passes:
        table = _with_pass(table, scored, names, k)
    table = table.select(*names, *COLUMNS, *pass_columns(passes))
    return Board(
        table=table,
        by=names,
        metric=metric,
        answers=chosen.frame,
        unit=unit,
        units=matrix.shape[1] if matrix is not None else scored.height,
        margin=margin,
        notes=(
            *without_repairs(frame, names),
            *void_cases(tries),
            *chosen.notes,
            *_not_ranked(table, names),
            *_cut_short(table, names),
            *_measured(table, names),
            *mixtures(chosen.frame, names, best=_titles(table, names).to_list()),
        ),
    )


def leaderboard(
    frame: pl.DataFrame,
    by: str | Sequence[str] = ("model",),
    *,
    metric: Metric = Metric.SOLVED,
    seed: int = 0,
    confidence: float = 0.95,
    passes: Sequence[int] = (),
    common: bool = False,
) -> pl.DataFrame:
    """One row for each group: the ranked ones, the best first, then those that lack something.

    The columns are those grouped by, `COLUMNS`, and `pass@k` and `pass^k` for each k of `passes`. Null is
    unknown: the interval of a single unit, the ranks of who lacks something (`lacks` says what) and of groups
    that share no units, the cost of a model without a price, pass@k where a question was answered fewer than
    k times. Same frame and seed, same numbers.
    """
    whole = board(frame, by, metric=metric, seed=seed, confidence=confidence, passes=passes, common=common)
    return whole.table


def pooled(
    frame: pl.DataFrame,
    by: str | Sequence[str] = ("model",),
    *,
    seed: int = 0,
    confidence: float = 0.95,
    passes: Sequence[int] = (),
) -> pl.DataFrame:
    """The same columns by the predecessor's rules: by score, means over all samples alike, and no ranks."""
    names = grouping(by, frame)
    scored, metric = judged(frame), Metric.SCORE
    table = summary(frame, names, metric=metric, weighed=False)
    unit = unit_of(scored, names) if scored.height else SAMPLE
    if unit == SAMPLE:
        low, high = _intervals(table, None, metric, seed, confidence)
    else:
        sums, samples = sample_sums(scored, table, names, unit, metric)
        errors = bootstrap_errors(sums, samples, seed=seed)
        units = (samples > 0).sum(axis=1)
        low, high = score_intervals(_means(table, metric), errors, units, confidence=confidence)
    table = table.with_columns(
        _column("low", low),
        _column("high", high),
        *_ranks(table, metric, None),
        pl.lit(None, pl.String).alias("lacks"),
    )
    for k in passes:
        table = _with_pass(table, scored, names, k)
    return table.select(*names, *COLUMNS, *pass_columns(passes))


def pass_columns(passes: Sequence[int]) -> list[str]:
    """(1, 3) -> pass@1, pass^1, pass@3, pass^3."""
    return [f"pass{sign}{k}" for k in passes for sign in "@^"]


def pivot(
    frame: pl.DataFrame, rows: str, columns: str, value: str = "solved", *, weighed: bool = True
) -> pl.DataFrame:
    """A row for each of `rows`, the best first, and a column for each of `columns`, by name.

    The value is any number of `leaderboard` that needs no drawing: solved, score, samples, elapsed, cost ...
    """
    down, across = grouping((rows, columns), frame)
    frame = first_tries(frame, (down, across))
    metric = Metric.SCORE if value == Metric.SCORE else Metric.SOLVED
    long = summary(frame, (down, across), metric=metric, weighed=weighed)
    if value not in long.columns or value in (down, across):
        known = [name for name in COLUMNS if name in long.columns]
        raise InputError(f"cannot show {value!r} in a pivot; there are: {', '.join(known)}")
    heading = _as_heading(long[across]).alias(across)
    wide = long.with_columns(heading).pivot(across, index=down, values=value)
    best_first = summary(frame, (down,), metric=metric, weighed=weighed).select(down)
    ordered = [name for name in _in_order(long[across]) if name in wide.columns]
    return best_first.join(wide, on=down, how="left", nulls_equal=True, maintain_order="left").select(
        down, *ordered
    )


def parts_of(whole: Board, column: str) -> pl.DataFrame | None:
    """The ranked rows of a board on the test cases of each value of a column, such as `level`.

    Headings say how many test cases there are: `hard (40)`. None where there are fewer than two values.
    """
    if len(whole.by) != 1 or column not in whole.answers.columns or column in whole.by:
        return None
    known = whole.answers.filter(pl.col(column) != "")
    counts = known.group_by(column).agg(pl.col("test_case").n_unique().alias("cases"))
    if counts.height < 2 or whole.by[0] == "test_case":
        return None
    table = pivot(known, whole.by[0], column, whole.metric.value)
    order = [str(value) for value in (*Level, *TaskKind) if value in counts[column].to_list()]
    cases = dict(counts.iter_rows())
    ranked = whole.ranked.select(whole.by[0])
    rows = ranked.join(table, on=whole.by[0], how="inner", nulls_equal=True, maintain_order="left")
    return rows.select(whole.by[0], *(pl.col(name).alias(f"{name} ({cases[name]})") for name in order))


def pairs(
    frame: pl.DataFrame,
    by: str | Sequence[str] = ("model",),
    *,
    metric: Metric = Metric.SOLVED,
    seed: int = 0,
    common: bool = False,
) -> pl.DataFrame:
    """Every pair of ranked groups: `a`, `b` (the better one first), `difference`, `units`, and p-values.

    `p_value` of the exact test of this pair alone, `p_joint` corrected for all pairs: what ranks rest on. It
    is at most 0.05 where the difference is above the board's margin.
    """
    whole = board(frame, by, metric=metric, seed=seed, common=common)
    if whole.margin is None:
        raise InputError(
            f"groups by {', '.join(whole.by)} cannot be paired: they share no test cases or models"
        )
    ranked = whole.ranked
    scored = judged(whole.answers).join(ranked, on=whole.by, how="semi", nulls_equal=True)
    matrix = cells(scored, ranked, whole.by, whole.unit, metric)
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


def summary(
    frame: pl.DataFrame, names: Sequence[str], *, metric: Metric, weighed: bool = True
) -> pl.DataFrame:
    """All that needs no drawing, sorted by the metric; those that solve as much by score; then by name.

    Not `weighed`, the metrics are means over all samples alike, as everything else is. `deviation` is that of
    the metric among samples.
    """
    score, valid = pl.col("score"), pl.col("score").is_not_null()
    solved = 100.0 * pl.col("strict").cast(pl.Float64)
    failed = pl.col("unit_tests_count") - pl.col("unit_tests_passed")
    nearly = pl.col("executed") & failed.is_between(1, _NEARLY)
    table = frame.group_by(list(names), maintain_order=True).agg(
        score.mean(),
        solved.mean().alias("solved"),
        (score if metric is Metric.SCORE else solved).std().alias("deviation"),
        (100.0 * nearly.filter(valid).cast(pl.Float64)).mean().alias("near"),
        valid.sum().cast(pl.Int64).alias("samples"),
        (pl.col("outcome") == "void").sum().cast(pl.Int64).alias("void"),
        (score < _ALMOST).sum().cast(pl.Int64).alias("zero"),
        (score > 100 - _ALMOST).sum().cast(pl.Int64).alias("full"),
        score.std().alias("std"),
        score.median().alias("median"),
        pl.col("elapsed").filter(valid).mean(),
        pl.col("elapsed").filter(valid).median().alias("elapsed_median"),
        *(pl.col(name).filter(valid).mean() for name in _TAKEN),
        pl.col("finish_reason").filter(valid).is_in(CUT_SHORT).mean().alias("cut_short"),
        (pl.col("extraction").filter(valid) == EMPTY).mean().alias("empty"),
    )
    if weighed:
        table = _weighed(table, judged(frame), names)
    table = _with_speed(_with_lift(table, judged(frame), names), frame, names)
    share = pl.when(pl.col("solved") > 0).then(pl.col("solved") / 100)
    table = table.with_columns(
        (pl.col("cost") / share).alias("cost_per_solved"),
        (pl.col("elapsed") / share).alias("elapsed_per_solved"),
    )
    first = ["score"] if metric is Metric.SCORE else ["solved", "score"]
    descending = [name not in names for name in (*first, *names)]
    # Equal means of other numbers may differ in their last digit.
    keys = [*(pl.col(name).round(_DIGITS) for name in first), *names]
    return table.sort(keys, descending=descending, nulls_last=True)


def _with_lift(table: pl.DataFrame, scored: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """How much of what a stub leaves is earned, in %: the mean over test cases with a known stub score.

    Of each test case (score - stub) / (100 - stub), and 0 for those who do worse than the stub.
    """
    if "stub" not in scored.columns or "stub" in names:
        return table.with_columns(pl.lit(None, pl.Float64).alias("lift"))
    stubs = scored.select("test_case", "stub").unique()
    above = (pl.col("score") - pl.col("stub")) / (100 - pl.col("stub"))
    lifts = (
        values(scored, names, SAMPLE if "test_case" in names else "test_case")
        .join(stubs, on="test_case", maintain_order="left")
        .filter(pl.col("stub") < 100)
        .group_by(list(names), maintain_order=True)
        .agg((100 * above.clip(lower_bound=0)).mean().alias("lift"))
    )
    return table.join(lifts, on=list(names), how="left", nulls_equal=True)


def _with_speed(table: pl.DataFrame, frame: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """How fast the answers are beside the reference solutions, and of how many test cases that is known.

    The geometric mean over test cases of that over their answers: twice as fast and half as fast is as fast.
    Of all measured answers, the shares that are noisy, that allocate more, and that are inferred.
    """
    facts = ("speed_noisy", "allocates_more", "inferred")
    measured = frame.filter(pl.col("speed").is_not_null())
    keys = list(dict.fromkeys([*names, "test_case"]))
    cases = measured.group_by(keys, maintain_order=True).agg(pl.col("speed").log().mean())
    speeds = cases.group_by(list(names), maintain_order=True).agg(
        pl.col("speed").mean().exp(), pl.len().cast(pl.Int64).alias("speed_cases")
    )
    shares = measured.group_by(list(names), maintain_order=True).agg(pl.col(fact).mean() for fact in facts)
    for part in (speeds, shares):
        table = table.join(part, on=list(names), how="left", nulls_equal=True)
    return table.with_columns(pl.col("speed_cases").fill_null(0))


def _weighed(table: pl.DataFrame, scored: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """The table with the metrics as means over units of means over questions."""
    unit = unit_of(scored, names) if scored.height else SAMPLE
    means, metrics = values(scored, names, unit), [metric.value for metric in Metric]
    if unit != SAMPLE:
        means = means.group_by(list(names), maintain_order=True).agg(pl.col(metrics).mean())
    return table.drop(metrics).join(means, on=list(names), how="left", nulls_equal=True)


def _with_absent(table: pl.DataFrame, tries: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """The table with a row for groups that have no answer to anything that counts."""
    groups = tries.select(names).unique().sort(names)
    absent = groups.join(table, on=list(names), how="anti", nulls_equal=True)
    counts = [pl.lit(0, pl.Int64).alias(name) for name in ("samples", "void", "zero", "full", "speed_cases")]
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


def _cut_short(table: pl.DataFrame, names: Sequence[str]) -> list[str]:
    """Who was cut short too often for its score to tell what it can do."""
    many = table.filter(pl.col("cut_short") > MOST_CUT_SHORT).sort("cut_short", descending=True)
    if many.is_empty():
        return []
    told = [
        f"{name} ({100 * share:.0f} %)"
        for name, share in zip(_titles(many, names), many["cut_short"], strict=True)
    ]
    return [
        f"Cut short: more than {100 * MOST_CUT_SHORT:.0f} % of the answers hit their limit of tokens, which "
        f"says little about what a model can do: {listed(told, _NAMED)}. Ask again with more --max-tokens."
    ]


def _measured(table: pl.DataFrame, names: Sequence[str]) -> list[str]:
    """What the speeds rest on: they are of those test cases alone that a group solved."""
    known = table.filter(pl.col("speed").is_not_null())
    if known.is_empty():
        return []
    cases = zip(_titles(known, names), known["speed_cases"], strict=True)
    told = [f"{name} ({number})" for name, number in cases]
    noisy = known.filter(pl.col("speed_noisy") > _MOST_NOISY)
    unsure = f"; unsure, for most of it is noisy: {listed(_titles(noisy, names).to_list(), _NAMED)}"
    return [
        "Speed: time of the reference solution / time of the answer, the geometric mean over the solved test "
        f"cases where it is measured, which are as many of each: {listed(told, _NAMED)}"
        f"{unsure if noisy.height else ''}."
    ]


def _intervals(
    table: pl.DataFrame, matrix: Numbers | None, metric: Metric, seed: int, confidence: float
) -> tuple[Numbers, Numbers]:
    """Lower ends and upper ends of a summary's rows."""
    means = _means(table, metric)
    if matrix is None:
        samples = table["samples"].to_numpy()
        errors = plain_errors(table["deviation"].fill_null(np.nan).to_numpy(), samples)
        return score_intervals(means, errors, samples, confidence=confidence)
    there = np.isfinite(matrix)
    errors = bootstrap_errors(np.where(there, matrix, 0.0), there.astype(np.float64), seed=seed)
    return score_intervals(means, errors, there.sum(axis=1), confidence=confidence)


def _means(table: pl.DataFrame, metric: Metric) -> Numbers:
    return table[metric.value].to_numpy()  # what is unknown becomes NaN


def _margin(matrix: Numbers | None, table: pl.DataFrame, seed: int, confidence: float) -> float | None:
    """The margin of the ranked rows, which have all units; None where groups share none."""
    ranked = table["lacks"].is_null().to_numpy()
    if matrix is None or not ranked.any() or not np.isfinite(matrix[ranked]).all():
        return None
    return sure_difference(moves(matrix[ranked], seed=seed), confidence)


def _ranks(table: pl.DataFrame, metric: Metric, margin: float | None) -> tuple[pl.Expr, pl.Expr]:
    """The rank intervals of the rows; null for those that are not ranked."""
    low, high = np.zeros(table.height, np.int64), np.zeros(table.height, np.int64)
    if margin is not None:
        ranked = table["lacks"].is_null().to_numpy()
        low[ranked], high[ranked] = rank_intervals(_means(table, metric)[ranked], margin)
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
    """Add pass@k and pass^k: of each question on its own, then the mean; null if one has too few answers."""
    if k < 1:
        raise InputError(f"pass@{k} means nothing; k is at least 1")
    keys = [*names, *(name for name in _QUESTION if name not in names)]
    asked = scored.group_by(keys, maintain_order=True)
    questions = asked.agg(pl.len().alias("_n"), pl.col("strict").sum().alias("_passed"))
    counts = questions["_n"].to_numpy(), questions["_passed"].to_numpy()
    chances = {f"pass@{k}": passes_at_k(*counts, k), f"pass^{k}": all_passes(*counts, k)}
    rates = (
        questions.with_columns(pl.Series(name, numbers) for name, numbers in chances.items())
        .group_by(list(names), maintain_order=True)
        .agg(pl.col(name).mean().fill_nan(None) for name in chances)
    )
    return table.join(rates, on=list(names), how="left", nulls_equal=True, maintain_order="left")


def _as_heading(values: pl.Series) -> pl.Series:
    return values.cast(pl.String).fill_null(NONE).replace("", NONE)


def _in_order(values: pl.Series) -> list[str]:
    """The headings in the order of the values: numbers by size, names by letter."""
    return _as_heading(values.unique().sort(nulls_last=True)).to_list()
