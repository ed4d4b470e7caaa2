"""Where the noise of a comparison comes from: test cases that suit one model better, and luck in sampling.

The difference of two models on a test case varies for two reasons. `between`: test cases favour one or the
other, and only more test cases average that out. `within`: another answer to the same question scores
differently, and more samples average that out as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, sqrt
from typing import Final

import numpy as np
import polars as pl

from ..errors import InputError
from .cells import cells, sample_sums
from .intervals import Numbers
from .quantiles import t_quantile
from .repairs import first_tries

LEAST_CASES: Final = 6
"""Below six test cases even winning all of them has p > 0.05 in a sign-flip test."""

_QUESTION: Final = ("model", "test_case", "prompt", "strategy", "experiment", "parameters")
_MOST_CASES: Final = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Standard deviations, in points of the score."""

    between: float
    """Of the true difference of two models, from one test case to the next."""
    within: float
    """Of the score, from one answer to the next to the same question."""
    source: str = ""
    """Where the two numbers come from, for a person."""

    def variance(self, samples: float) -> float:
        """Of the difference on one test case with so many answers of each model."""
        return self.between**2 + 2 * self.within**2 / samples


TYPICAL: Final = Spread(between=15.0, within=25.0, source="typical of the published local models")
"""Measured on the predecessor's 33 local models: 14.8 (the median pair) and 25.3."""


@lru_cache(maxsize=4096)  # searches ask for the same numbers again and again
def reach(cases: int, confidence: float = 0.95, power: float = 0.8) -> float:
    """How many standard errors a true difference must have to be found with this power."""
    return t_quantile((1 + confidence) / 2, cases - 1) + t_quantile(power, cases - 1)


def smallest_difference(cases: int, variance: float, *, power: float = 0.8) -> float | None:
    """What so many test cases can resolve; None where they cannot resolve anything."""
    return reach(cases, power=power) * sqrt(variance / cases) if cases >= LEAST_CASES else None


def cases_to_resolve(difference: float, variance: float, *, power: float = 0.8) -> int | None:
    """The fewest test cases that resolve a difference; None for a difference of nothing."""
    if not difference:
        return None
    low, high = LEAST_CASES - 1, LEAST_CASES
    while not _resolves(high, difference, variance, power):
        low, high = high, 2 * high
        if high > _MOST_CASES:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _resolves(middle, difference, variance, power) else (middle, high)
    return high


def _resolves(cases: int, difference: float, variance: float, power: float) -> bool:
    smallest = smallest_difference(cases, variance, power=power)
    return smallest is not None and smallest <= abs(difference)


def samples_to_resolve(
    difference: float, cases: int, between: float, within: float, samples: float, *, power: float = 0.8
) -> int | None:
    """The fewest answers per test case that resolve a difference; None if no number of them can.

    `between` and `within` are variances of the difference on a test case; `within` at `samples` answers.
    """
    if cases < LEAST_CASES:
        return None
    room = cases * (difference / reach(cases, power=power)) ** 2 - between
    return ceil(samples * within / room - 1e-9) or 1 if room > 0 else None


def sampling_variance(scored: pl.DataFrame) -> float | None:
    """Variance of the score among answers to the same question; None if none was answered twice."""
    repeated = repeated_questions(scored)
    freedom = int(repeated["freedom"].sum())
    return float(repeated["squares"].sum()) / freedom if freedom else None


def repeated_questions(scored: pl.DataFrame, by: Sequence[str] = ("model",)) -> pl.DataFrame:
    """Of questions answered twice or more, summed for each group: `squares` of deviations, `freedom`."""
    return (
        scored.group_by(_QUESTION)
        .agg((pl.len() - 1).cast(pl.Int64).alias("freedom"), pl.col("score").var().alias("variance"))
        .filter(pl.col("freedom") > 0)
        .group_by(by)
        .agg((pl.col("variance") * pl.col("freedom")).sum().alias("squares"), pl.col("freedom").sum())
        .sort(by)
    )


def spread_of(frame: pl.DataFrame) -> Spread:
    """The spread in stored results: of the median pair of models, and of all repeated questions."""
    scored = first_tries(frame).filter(pl.col("score").is_not_null())
    models = scored.select("model").unique().sort("model")
    if models.height < 2 or scored["test_case"].n_unique() < 3:
        raise InputError(
            "the spread between models needs results of two models on three test cases; "
            f"there are {models.height} and {scored['test_case'].n_unique()}"
        )
    measured = sampling_variance(scored)
    within = TYPICAL.within**2 if measured is None else measured
    matrix = cells(scored, models, ("model",), "test_case")
    _, counts = sample_sums(scored, models, ("model",), "test_case")
    between = _median_between(matrix, counts, within)
    assumed = (
        "" if measured is not None else f"; every question has one answer, so {TYPICAL.within:g} is assumed"
    )
    source = f"{models.height} models on {matrix.shape[1]} test cases{assumed}"
    return Spread(between=sqrt(between), within=sqrt(within), source=source)


def _median_between(means: Numbers, counts: Numbers, within: float) -> float:
    """Variance of the case differences less what sampling adds, for the median pair."""
    first, second = np.triu_indices(len(means), 1)
    differences = means[first] - means[second]
    with np.errstate(divide="ignore", invalid="ignore"):
        luck = within * (1 / counts[first] + 1 / counts[second])
    enough = np.isfinite(differences).sum(axis=1) >= 3
    if not enough.any():
        raise InputError("no two models share three test cases; nothing can be said about their spread")
    luck = np.where(np.isfinite(differences), luck, np.nan)[enough]
    total = np.nanvar(differences[enough], axis=1, ddof=1)
    return float(np.median(np.maximum(total - np.nanmean(luck, axis=1), 0)))
